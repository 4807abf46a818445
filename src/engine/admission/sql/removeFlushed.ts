import { bigint, int, rowset, statement, uuid } from '../../db/index.ts';

/** The items that leave a buffer: all up to a position. */
export interface Flushed {
  id: string;
  lastPosition: number;
  /** The items that stay for another run. */
  itemsLeft: number;
  bytesLeft: number;
}

/**
 * Removes flushed items, and the buffers that are then empty. A buffer that keeps items stays due.
 * Closing it ensures that no position is used twice.
 */
export const removeFlushed = statement<Record<string, never>>('removeFlushed').writes({
  params: { flushed: rowset({ id: uuid, lastPosition: int, itemsLeft: int, bytesLeft: bigint }) },
  text: `
    with flushed as materialized (
      select * from $flushed as f
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
});
