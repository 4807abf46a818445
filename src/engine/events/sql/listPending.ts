import { bigint, float8, instant, statement, uuid } from '../../db/index.ts';

interface PendingEvent {
  eventId: string;
  projectId: string;
  app: string;
  name: string;
}

/**
 * Events whose process died between recording them and waking their waiters. One that is dated in
 * the future is older than a clock that went back.
 */
export const listPending = statement<PendingEvent>('listPending').reads({
  params: { olderThanMs: float8, limit: bigint, now: instant },
  text: `
    select p.event_id, p.project_id, e.app, e.name
    from event_pending p join event e on e.id = p.event_id
    where p.created_at < $now - $olderThanMs * interval '1 ms'
      or p.created_at > $now + interval '1 minute'
    order by p.event_id limit $limit
  `,
});

/**
 * Records that the waiters of these events are awake. The trigger `number_events` then numbers the
 * events, each once: of two processes only one deletes the row. A lost write only repeats the
 * look-up, which finds nobody.
 */
export const clearPending = statement<never>('clearPending').writes({
  params: { eventIds: uuid.list },
  text: 'delete from event_pending where event_id = any($eventIds)',
});
