import { bigint, float8, instant, statement, uuid } from '../../db/index.ts';

/**
 * Events whose process died between recording them and waking their waiters. One that is dated in
 * the future is older than a clock that went back.
 */
export const listPending = statement<{ eventId: string }>('listPending').reads({
  params: { olderThanMs: float8, limit: bigint, now: instant },
  text: `
    select event_id from event_pending
    where created_at < $now - $olderThanMs * interval '1 ms'
      or created_at > $now + interval '1 minute'
    order by event_id limit $limit
  `,
});

/**
 * Forgets that waiters of these events are to be looked up. Losing this write only repeats a
 * look-up that finds nobody.
 */
export const clearPending = statement<never>('clearPending').writes({
  params: { eventIds: uuid.list },
  text: 'delete from event_pending where event_id = any($eventIds)',
});
