import { statement } from '../../db/index.ts';

export interface BufferedItem {
  buffer_id: string;
  position: number;
  /** JSON text that `readStart` reads. */
  start: string;
  /** The payload, as it was sent. */
  input: string;
  created_at: Date;
}

/** What buffers hold, in the order in which it came. */
export const readBufferItems = statement<{ bufferIds: readonly string[] }, BufferedItem>({
  name: 'readBufferItems',
  writes: false,
  text: `
    select buffer_id, position, start, input, created_at from flow_buffer_item
    where buffer_id = any($1::uuid[])
    order by buffer_id, position
  `,
  values: ({ bufferIds }) => [bufferIds],
});
