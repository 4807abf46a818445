import { statement } from '../../db/index.ts';
import type { NewRun } from '../../ingest/index.ts';
import { startText } from '../bufferedStart.ts';

export interface BufferItem {
  bufferId: string;
  position: number;
  run: NewRun;
}

/** Puts starts into buffers that the caller has locked, each at its position: what stood there gives way. */
export const putBufferItems = statement<{ items: readonly BufferItem[]; now: Date | null }, Record<string, never>>({
  name: 'putBufferItems',
  writes: true,
  text: `
    insert into flow_buffer_item (buffer_id, position, event_id, start, input, created_at)
    select buffer_id, position, event_id, start, input, coalesce(received_at, $1::timestamptz, now())
    from unnest($2::uuid[], $3::int[], $4::uuid[], $5::json[], $6::json[], $7::timestamptz[])
      as i(buffer_id, position, event_id, start, input, received_at)
    on conflict (buffer_id, position) do update set
      event_id = excluded.event_id, start = excluded.start, input = excluded.input, created_at = excluded.created_at
  `,
  values: ({ items, now }) => [
    now,
    items.map((each) => each.bufferId),
    items.map((each) => each.position),
    items.map((each) => each.run.eventId ?? null),
    items.map((each) => startText(each.run)),
    items.map((each) => each.run.input.text),
    items.map((each) => each.run.receivedAt ?? null),
  ],
});
