import { bigint, instant, statement, text } from '../../db/index.ts';

export type BufferPolicy = 'debounce' | 'batch';

export interface DueBuffer {
  id: string;
  projectId: string;
  app: string;
  workflow: string;
  items: number;
  bytes: number;
}

/**
 * Locks due buffers of a policy, the longest overdue first, and skips buffers that are being filled
 * or flushed. One policy at a time: a transaction with a debounced start may wait for the batch
 * that it goes into, never the other way round.
 */
export const takeDueBuffers = statement<DueBuffer>('takeDueBuffers').reads({
  params: { policy: text, limit: bigint, now: instant },
  text: `
    select id, project_id, app, workflow, items, bytes from flow_buffer
    where policy = $policy and flush_at <= $now
    order by flush_at, id
    limit $limit
    for update skip locked
  `,
});
