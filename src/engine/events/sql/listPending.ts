import { statement } from '../../db/index.ts';

/**
 * Events whose process died between recording them and waking their waiters. One that is dated in the future is older than a
 * clock that went back.
 */
export const listPending = statement<{ olderThanMs: number; limit: number; now: Date | null }, { event_id: string }>({
  name: 'listPending',
  writes: false,
  text: `
    select event_id from event_pending
    where created_at < coalesce($3::timestamptz, now()) - $1::float8 * interval '1 ms'
      or created_at > coalesce($3::timestamptz, now()) + interval '1 minute'
    order by event_id limit $2
  `,
  values: ({ olderThanMs, limit, now }) => [olderThanMs, limit, now],
});
