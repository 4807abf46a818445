import { bigint, float8, instant, statement } from '../../db/index.ts';

/**
 * Restarts the wait of buffers that were filled at a time in the future, because the clock was
 * wrong. Each waits again for its full original time. Skips buffers that are being filled or
 * flushed. Scans the whole table, so it must run rarely.
 */
export const moveBuffersBack = statement<{ id: string }>('moveBuffersBack').writes({
  params: { limit: bigint, toleranceMs: float8, now: instant },
  text: `
    update flow_buffer b set
      flush_at = $now + greatest(b.flush_at - b.created_at, interval '0'),
      created_at = $now
    where id = any(array(
      select id from flow_buffer
      where created_at > $now + $toleranceMs * interval '1 ms'
      limit $limit
      for update skip locked
    ))
    returning id
  `,
});
