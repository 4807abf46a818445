import { statement } from '../../db/index.ts';

/** Declares the consequences of runs drawn, in order of run. Those without a row were taken by somebody else. */
export const takeOutcome = statement<{ runIds: readonly string[] }, { run_id: string }>({
  name: 'takeOutcome',
  writes: true,
  text: `
    with mine as (
      select run_id from run_outcome where run_id = any($1::uuid[]) order by run_id for update
    )
    delete from run_outcome where run_id in (select run_id from mine) returning run_id
  `,
  values: ({ runIds }) => [runIds],
});
