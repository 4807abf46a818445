import { statement } from '../../db/index.ts';

/** How many distinct steps each run has; attempts of one step share an index. Rides the primary key. */
export const countRunSteps = statement<{ runIds: readonly string[] }, { runId: string; steps: number }>({
  name: 'countRunSteps',
  writes: false,
  text: `select run_id as "runId", count(distinct index) as steps
         from run_step where run_id = any($1::uuid[]) group by run_id`,
  values: ({ runIds }) => [runIds],
});
