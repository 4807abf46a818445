import { bigint, float8, instant, statement, uuid } from '../../db/index.ts';

interface PendingEvent {
  eventId: string;
  projectId: string;
  app: string;
  name: string;
}

/**
 * Events whose process died before it woke their waiters. An event dated in the future was recorded
 * before the clock was set back.
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
 * Records that the waiters of events are awake. The trigger `number_events` then numbers the
 * events. Only one process deletes a row, so each event is numbered once. If the write is lost, the
 * look-up repeats and finds no waiters.
 */
export const clearPending = statement<never>('clearPending').writes({
  params: { eventIds: uuid.list },
  text: 'delete from event_pending where event_id = any($eventIds)',
});
