import { bigint, instant, statement, text, uuid } from '../../db/index.ts';

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
 * Locks due buffers of one policy, the longest overdue first. Skips buffers that are being filled
 * or flushed. Policies have separate transactions: a debounced start may wait for a batch buffer,
 * but a batched start never waits for a debounce buffer.
 */
export const takeDueBuffers = statement<DueBuffer>('takeDueBuffers').reads({
  params: {
    policy: text,
    limit: bigint,
    now: instant,
    /** Only buffers of this project; null: of all. */
    projectId: uuid.orNull,
  },
  text: `
    select id, project_id, app, workflow, items, bytes from flow_buffer
    where policy = $policy and flush_at <= $now and ($projectId is null or project_id = $projectId)
    order by flush_at, id
    limit $limit
    for update skip locked
  `,
});
