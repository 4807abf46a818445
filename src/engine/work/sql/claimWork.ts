import { instant, int, rowset, statement, uuid } from '../../db/index.ts';
import { isUnlimited } from '../../flow/policies/concurrency/index.ts';
import { type ClaimedRow, leasing } from './leasing.ts';

export interface Demand {
  laneId: number;
  /** How many runs of the lane may be taken. */
  limit: number;
}

/**
 * Leases ready runs, in order within each lane. Rides `run_work_ready_idx`, one descent a lane:
 * what is parked, leased or held by flow control is not in that index, so a backlog elsewhere costs
 * nothing. `skip locked` lets dispatchers claim side by side. The planner takes `limit d.n` for a
 * tenth of the lane and would join so much by scanning whole tables; `any(array(…))` counts as ten
 * rows to it, so each run is looked up by its key.
 *
 * Of a lane whose runs are limited in number (2.2 `concurrency`, ceiling) it takes nothing,
 * whatever the caller believed: those are for `claimLimited`.
 */
export const claimWork = statement<ClaimedRow>('claimWork').writes({
  params: {
    dispatcherId: uuid,
    now: instant,
    demands: rowset({ laneId: int, n: int.of((each: Demand) => each.limit) }),
  },
  text: leasing(`
      select w.version
      from me cross join $demands as d
      cross join lateral (
        select ctid as version from run_work
        where state = 'ready' and lane_id = d.lane_id
        order by position, run_id limit case when ${isUnlimited('d.lane_id')} then d.n else 0 end
        for update skip locked
      ) w
    `),
});
