import { statement, uuid } from '../../db/index.ts';

export interface BufferedItem {
  bufferId: string;
  position: number;
  /** JSON text that `readStart` reads. */
  start: string;
  /** The payload, as it was sent. */
  input: string;
  createdAt: Date;
}

/** The items of buffers, in the order in which they came. */
export const readBufferItems = statement<BufferedItem>('readBufferItems').reads({
  params: { bufferIds: uuid.list },
  text: `
    select buffer_id, position, start, input, created_at from flow_buffer_item
    where buffer_id = any($bufferIds)
    order by buffer_id, position
  `,
});
