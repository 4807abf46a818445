import { instant, int, rowset, statement, uuid } from '../../db/index.ts';
import { isUnlimited } from '../../flow/policies/concurrency/index.ts';
import { type ClaimedRow, isNotExpired, leasing } from './leasing.ts';

export interface Demand {
  laneId: number;
  /** The number of runs to claim from the lane. */
  limit: number;
}

/**
 * Leases ready runs, in queue order within each lane. Rides `run_work_ready_idx`, one descent a
 * lane. Parked, leased and gated runs are not in that index, so a backlog elsewhere costs nothing.
 * With `skip locked`, dispatchers claim side by side. The planner expects `limit d.n` to be a tenth
 * of the lane, and would scan whole tables for it. For `any(array(…))` it expects ten rows, and
 * looks up each run by its key.
 *
 * L2. Takes no run of a lane with a limit (2.2 `concurrency`, ceiling), whatever the caller
 *     expects: `claimLimited` claims those.
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
        where state = 'ready' and lane_id = d.lane_id and ${isNotExpired}
        order by position, run_id limit case when ${isUnlimited('d.lane_id')} then d.n else 0 end
        for update skip locked
      ) w
    `),
});
