import { defineCheck, type FoundRow } from './check.ts';
import { hasLiveDispatcher } from './grace.ts';

interface Row extends FoundRow {
  pendingMs: number;
}

/** The waiters of a recorded event are woken. */
export const eventPendingTooLong = defineCheck<Row>({
  invariant: 'I9',
  name: 'eventPendingTooLong',
  text: `
    select event_id as subject, project_id,
      (extract(epoch from $now - created_at) * 1000)::float8 as pending_ms
    from event_pending
    where created_at < $now - interval '1 minute'
      and ${hasLiveDispatcher("interval '1 minute'")}
    limit $limit`,
  describe: ({ subject, pendingMs }) =>
    `event ${subject} was recorded ${Math.round(pendingMs / 1000)} s ago, but its waiters have not been woken`,
});
