import { bigint, float8, instant, statement } from '../../db/index.ts';

/**
 * Makes buffers that were filled at a time yet to come wait anew, for as long as they were to wait
 * then: the clock was wrong. Skips buffers that are being filled or flushed. Reads the whole table:
 * for now and then only.
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
