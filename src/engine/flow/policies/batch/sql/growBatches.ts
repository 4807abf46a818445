import { bigint, bool, instant, int, rowset, statement, uuid } from '../../../../db/index.ts';

/** Updates the counts of buffers that the caller has locked. Full buffers are closed and due. */
export const growBatches = statement<Record<string, never>>('growBatches').writes({
  params: { now: instant, buffers: rowset({ id: uuid, items: int, bytes: bigint, closed: bool }) },
  text: `
    update flow_buffer b set
      items = g.items, bytes = g.bytes, closed = g.closed,
      flush_at = case when g.closed then least(b.flush_at, $now) else b.flush_at end
    from $buffers as g
    where b.id = g.id
  `,
});
