import { statement } from '../../db/index.ts';

/**
 * Has buffers that were filled at a time which has not come yet wait anew, for as long as they were to wait then: the clock
 * was wrong. Passes over those that somebody is filling or flushing. Reads the whole table: for now and then only.
 */
export const moveBuffersBack = statement<{ limit: number; toleranceMs: number; now: Date | null }, { id: string }>({
  name: 'moveBuffersBack',
  writes: true,
  text: `
    update flow_buffer b set
      flush_at = coalesce($3::timestamptz, now()) + greatest(b.flush_at - b.created_at, interval '0'),
      created_at = coalesce($3::timestamptz, now())
    where id = any(array(
      select id from flow_buffer
      where created_at > coalesce($3::timestamptz, now()) + $2::float8 * interval '1 ms'
      limit $1
      for update skip locked
    ))
    returning id
  `,
  values: ({ limit, toleranceMs, now }) => [limit, toleranceMs, now],
});
