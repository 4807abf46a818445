import { statement, uuid } from '../../db/index.ts';

/** Holds an outcome until its project is active again. */
export const holdOutcome = statement<never>('holdOutcome').writes({
  params: { runId: uuid, projectId: uuid },
  text: 'update run_outcome set held_for = $projectId where run_id = $runId',
});

/** Deletes the outcomes of runs, in order of run. An outcome without a row was taken by others. */
export const takeOutcome = statement<{ runId: string }>('takeOutcome').writes({
  params: { runIds: uuid.list },
  text: `
    with mine as (
      select run_id from run_outcome where run_id = any($runIds) order by run_id for update
    )
    delete from run_outcome where run_id in (select run_id from mine) returning run_id
  `,
});
