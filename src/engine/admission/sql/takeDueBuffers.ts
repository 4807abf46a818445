import { statement } from '../../db/index.ts';

export type BufferPolicy = 'debounce' | 'batch';

export interface DueBuffer {
  id: string;
  project_id: string;
  app: string;
  workflow: string;
  items: number;
  bytes: number;
}

/**
 * Locks buffers of a policy whose time has come, the longest overdue first, passing over those that somebody else is filling
 * or flushing. One policy at a time: whoever holds a debounced start may wait for the batch that it goes into, never the
 * other way round.
 */
export const takeDueBuffers = statement<{ policy: BufferPolicy; limit: number; now: Date | null }, DueBuffer>({
  name: 'takeDueBuffers',
  writes: false,
  text: `
    select id, project_id, app, workflow, items, bytes from flow_buffer
    where policy = $1 and flush_at <= coalesce($3::timestamptz, now())
    order by flush_at, id
    limit $2
    for update skip locked
  `,
  values: ({ policy, limit, now }) => [policy, limit, now],
});
