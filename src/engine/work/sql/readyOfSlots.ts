import { bigint, int, rowset, statement } from '../../db/index.ts';

interface Row {
  runId: string;
  slot: string;
}

/**
 * Locks the ready runs of full slots, so that they are gated together. Otherwise the runs behind
 * them would wait until claims have examined each. Runs without a slot have no index of their own,
 * so only the first of the lane are examined.
 */
export const readyOfSlots = statement<Row>('readyOfSlots').reads({
  params: {
    slots: bigint.list,
    /** How many of each are examined. */
    limit: bigint,
    /** Lanes whose default slot is full; see `LimitedDemand`. */
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
