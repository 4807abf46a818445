import { bigint, int, rowset, statement } from '../../db/index.ts';

interface Row {
  runId: string;
  slot: string;
}

/**
 * Locks what is ready of slots that are full, so that it can be set aside together: what stands
 * behind it in the queue must not wait until claims have seen each. Of runs without a slot, which
 * no index tells from others, only the first of the lane are looked at.
 */
export const readyOfSlots = statement<Row>('readyOfSlots').reads({
  params: {
    slots: bigint.list,
    /** How many of each are looked at. */
    limit: bigint,
    /** Lanes with the default slot of their runs, where that is full; see `LimitedDemand`. */
    unscoped: rowset({ laneId: int, slot: bigint }),
  },
  text: `
    select w.run_id, s.slot::text
    from unnest($slots) as s(slot)
    cross join lateral (
      select run_id from run_work
      where slot = s.slot and state = 'ready'
      order by position, run_id limit $limit
      for update skip locked
    ) w
    union all
    select w.run_id, u.slot::text
    from $unscoped as u
    cross join lateral (
      select run_id from run_work
      where state = 'ready' and slot is null and run_id = any(array(
        select first.run_id from (
          select run_id, slot from run_work
          where state = 'ready' and lane_id = u.lane_id
          order by position, run_id limit $limit
        ) first
        where first.slot is null
      ))
      for update skip locked
    ) w
  `,
});
