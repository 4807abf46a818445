import { statement, uuid } from '../../db/index.ts';

/** Leaves an outcome until its project is not suspended any more. */
export const holdOutcome = statement<never>('holdOutcome').writes({
  params: { runId: uuid, projectId: uuid },
  text: 'update run_outcome set held_for = $projectId where run_id = $runId',
});

/**
 * Declares the consequences of runs drawn, in order of run. Those without a row were taken by
 * somebody else.
 */
export const takeOutcome = statement<{ runId: string }>('takeOutcome').writes({
  params: { runIds: uuid.list },
  text: `
    with mine as (
      select run_id from run_outcome where run_id = any($runIds) order by run_id for update
    )
    delete from run_outcome where run_id in (select run_id from mine) returning run_id
  `,
});
