import { statement, uuid } from '../../db/index.ts';

export interface BufferedItem {
  bufferId: string;
  position: number;
  /** JSON text, parsed by `readStart`. */
  start: string;
  /** The payload as the caller sent it. */
  input: string;
  createdAt: Date;
}

/** The items of buffers, in order of arrival. */
export const readBufferItems = statement<BufferedItem>('readBufferItems').reads({
  params: { bufferIds: uuid.list },
  text: `
    select buffer_id, position, start, input, created_at from flow_buffer_item
    where buffer_id = any($bufferIds)
    order by buffer_id, position
  `,
});
