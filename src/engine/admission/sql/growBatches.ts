import { statement } from '../../db/index.ts';
import type { FilledBuffer } from '../fillBuffers.ts';

/** Counts what was put into buffers that the caller has locked. One that is full is due at once, and takes nothing more. */
export const growBatches = statement<{ buffers: readonly FilledBuffer[]; now: Date | null }, Record<string, never>>({
  name: 'growBatches',
  writes: true,
  text: `
    update flow_buffer b set
      items = g.items, bytes = g.bytes, closed = g.closed,
      flush_at = case when g.closed then least(b.flush_at, coalesce($1::timestamptz, now())) else b.flush_at end
    from unnest($2::uuid[], $3::int[], $4::bigint[], $5::bool[]) as g(id, items, bytes, closed)
    where b.id = g.id
  `,
  values: ({ buffers, now }) => [
    now,
    buffers.map((each) => each.id),
    buffers.map((each) => each.items),
    buffers.map((each) => each.bytes),
    buffers.map((each) => each.closed),
  ],
});
