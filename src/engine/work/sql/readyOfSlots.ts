import { statement } from '../../db/index.ts';

interface Params {
  slots: readonly string[];
  /** Lanes with the default slot of their runs, where that is full; see `LimitedDemand`. */
  unscoped: readonly { laneId: number; slot: string }[];
  /** How many of each are looked at. */
  limit: number;
}

interface Row {
  run_id: string;
  slot: string;
}

/**
 * Locks what is ready of slots that are full, so that it can be set aside together: what stands behind it in the queue must
 * not wait until claims have seen each. Of runs without a slot, which no index tells from others, only the first of the lane are
 * looked at.
 */
export const readyOfSlots = statement<Params, Row>({
  name: 'readyOfSlots',
  writes: false,
  text: `
    select w.run_id, s.slot::text
    from unnest($1::int8[]) as s(slot)
    cross join lateral (
      select run_id from run_work
      where slot = s.slot and state = 'ready'
      order by position, run_id limit $4
      for update skip locked
    ) w
    union all
    select w.run_id, u.slot::text
    from unnest($2::int[], $3::int8[]) as u(lane_id, slot)
    cross join lateral (
      select run_id from run_work
      where state = 'ready' and slot is null and run_id = any(array(
        select first.run_id from (
          select run_id, slot from run_work
          where state = 'ready' and lane_id = u.lane_id
          order by position, run_id limit $4
        ) first
        where first.slot is null
      ))
      for update skip locked
    ) w
  `,
  values: ({ slots, unscoped, limit }) => [
    slots,
    unscoped.map((each) => each.laneId),
    unscoped.map((each) => each.slot),
    limit,
  ],
});
