import { bigint, statement } from '../../../../db/index.ts';
import { concurrencyLimit, promisedRuns } from './limits.ts';

/**
 * Makes gated runs ready while their slot is free, in queue order. Returns their lanes, one per
 * run. Ready runs count as promised, and so do runs that only wait for the project's ceiling. Rides
 * `run_work_gated_idx`. The claim decides under the slot's lock whether runs execute, so two
 * concurrent calls do no harm. Locked runs are skipped, and the sweep finds them.
 */
export const openSlots = statement<{ laneId: number }>('openSlots').writes({
  params: {
    slots: bigint.list,
    /** The maximum number of runs per call, in a slot whose workflow has no limit any more. */
    page: bigint,
  },
  text: `
    with room as materialized (
      select s.slot, case when policy.max is null then $page else policy.max - ${promisedRuns('s.slot', 'policy.max')}
        end as runs
      from unnest($slots) as s(slot)
      cross join lateral (
        select lane_id from run_work w
        where w.state = 'gated' and w.gate = 'slot' and w.slot = s.slot
        order by w.position, w.run_id limit 1
      ) first
      cross join lateral (select ${concurrencyLimit('first.lane_id')} as max offset 0) policy
    ),
    picked as materialized (
      select w.run_id
      from room
      cross join lateral (
        select run_id from run_work
        where state = 'gated' and gate = 'slot' and slot = room.slot
        order by position, run_id limit least(greatest(room.runs, 0), $page)
        for update skip locked
      ) w
    )
    update run_work w set state = 'ready', gate = null
    where w.run_id = any(array(select run_id from picked))
    returning w.lane_id
  `,
});
