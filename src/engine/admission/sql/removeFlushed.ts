import { statement } from '../../db/index.ts';

/** What leaves a buffer: all up to a position. */
export interface Flushed {
  id: string;
  lastPosition: number;
  /** What stays behind for another run. */
  itemsLeft: number;
  bytesLeft: number;
}

/**
 * Removes what has left its buffers, and the buffers that are empty by that. One that keeps something is closed, so that
 * nothing is put where something stood before, and is due still.
 */
export const removeFlushed = statement<{ flushed: readonly Flushed[] }, Record<string, never>>({
  name: 'removeFlushed',
  writes: true,
  text: `
    with flushed as materialized (
      select * from unnest($1::uuid[], $2::int[], $3::int[], $4::bigint[])
        as f(id, last_position, items_left, bytes_left)
    ),
    left_items as (
      delete from flow_buffer_item i using flushed f where i.buffer_id = f.id and i.position <= f.last_position
    ),
    kept as (
      update flow_buffer b set items = f.items_left, bytes = f.bytes_left, closed = true
      from flushed f where b.id = f.id and f.items_left > 0
    )
    delete from flow_buffer where id = any(array(select id from flushed where items_left = 0))
  `,
  values: ({ flushed }) => [
    flushed.map((each) => each.id),
    flushed.map((each) => each.lastPosition),
    flushed.map((each) => each.itemsLeft),
    flushed.map((each) => each.bytesLeft),
  ],
});
