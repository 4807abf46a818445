import { statement, uuid } from '../../db/index.ts';

/**
 * How many distinct steps each run has; attempts of one step share an index. Rides the primary key.
 */
export const countRunSteps = statement<{ runId: string; steps: number }>('countRunSteps').reads({
  params: { runIds: uuid.list },
  text: `select run_id, count(distinct index) as steps
         from run_step where run_id = any($runIds) group by run_id`,
});
