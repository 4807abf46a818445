import { statement, uuid } from '../../db/index.ts';

/** Declares the consequences of runs drawn, in order of run. Those without a row were taken by somebody else. */
export const takeOutcome = statement<{ runId: string }>('takeOutcome').writes({
  params: { runIds: uuid.list },
  text: `
    with mine as (
      select run_id from run_outcome where run_id = any($runIds) order by run_id for update
    )
    delete from run_outcome where run_id in (select run_id from mine) returning run_id
  `,
});
