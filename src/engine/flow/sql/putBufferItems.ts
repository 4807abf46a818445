import { instant, int, json, rowset, statement, timestamptz, uuid } from '../../db/index.ts';
import { startText } from '../buffers.ts';
import type { PlannedStart } from '../gate.ts';

export interface BufferItem {
  bufferId: string;
  position: number;
  run: PlannedStart;
}

/**
 * Puts starts into buffers that the caller has locked. A start replaces the item at its position.
 */
export const putBufferItems = statement<Record<string, never>>('putBufferItems').writes({
  params: {
    now: instant,
    items: rowset({
      bufferId: uuid,
      position: int,
      eventId: uuid.orNull.of((each: BufferItem) => each.run.eventId),
      start: json.of((each: BufferItem) => startText(each.run)),
      input: json.of((each: BufferItem) => each.run.input.text),
      receivedAt: timestamptz.orNull.of((each: BufferItem) => each.run.receivedAt),
    }),
  },
  text: `
    insert into flow_buffer_item (buffer_id, position, event_id, start, input, created_at)
    select buffer_id, position, event_id, start, input, coalesce(received_at, $now)
    from $items as i
    on conflict (buffer_id, position) do update set
      event_id = excluded.event_id, start = excluded.start, input = excluded.input, created_at = excluded.created_at
  `,
});
