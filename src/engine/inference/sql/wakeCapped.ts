import { instant, statement, uuid } from '../../db/index.ts';

/** The calls of one lane that the end of a send wakes. */
const wokenPerLane = 2;

/**
 * Makes calls due that wait for others of their run, because a send of the run has ended. A few are
 * enough: each wakes others in its turn, so the number of calls side by side doubles while the cap
 * allows it. The transaction has locked the run.
 */
export const wakeCapped = statement<{ runId: string }>('wakeCapped').writes({
  params: { now: instant, runId: uuid },
  text: `
    update inference_call c
    set is_capped = false, due_at = $now
    where c.run_id = $runId and c.is_capped and c.lease_id is null and c.step_index in (
      select step_index from (
        select step_index, row_number() over (partition by lane_id order by due_at, step_index) as place
        from inference_call where run_id = $runId and is_capped and lease_id is null
      ) w
      where place <= ${wokenPerLane})
    returning c.run_id
  `,
});
