import { statement } from '../../db/index.ts';
import { concurrencyLimit, promisedRuns } from './limits.ts';

interface Params {
  slots: readonly string[];
  /** Runs that one call lets go on of a slot whose workflow has no limit any more. */
  page: number;
}

/**
 * Lets waiting runs go on where their slot has room, first come first; answers their lanes, one per run. What is ready already
 * has its room promised, and so has what has come past this gate and waits for the project's. Rides `run_work_gated_idx`. It
 * only makes runs ready: whether they execute is for the claim to say, under the slot's lock, so that two of these at a time do no
 * harm. A run that somebody has locked is passed over, and found by the sweep.
 */
export const openSlots = statement<Params, { lane_id: number }>({
  name: 'openSlots',
  writes: true,
  text: `
    with room as materialized (
      select s.slot, case when policy.max is null then $2::int8 else policy.max - ${promisedRuns('s.slot', 'policy.max')}
        end as runs
      from unnest($1::int8[]) as s(slot)
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
        order by position, run_id limit least(greatest(room.runs, 0), $2)
        for update skip locked
      ) w
    )
    update run_work w set state = 'ready', gate = null
    where w.run_id = any(array(select run_id from picked))
    returning w.lane_id
  `,
  values: ({ slots, page }) => [slots, page],
});
