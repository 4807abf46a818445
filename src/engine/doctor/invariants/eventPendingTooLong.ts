import { defineCheck, type FoundRow } from './check.ts';
import { isLookedAfter } from './grace.ts';

interface Row extends FoundRow {
  pendingMs: number;
}

/**
 * Held against the service only while a process that looks after such events has been up for that
 * long.
 */
export const eventPendingTooLong = defineCheck<Row>({
  invariant: 'I9',
  name: 'eventPendingTooLong',
  text: `
    select event_id as subject, project_id,
      (extract(epoch from $now - created_at) * 1000)::float8 as pending_ms
    from event_pending
    where created_at < $now - interval '1 minute'
      and ${isLookedAfter("interval '1 minute'")}
    limit $limit`,
  describe: ({ subject, pendingMs }) =>
    `event ${subject} was recorded ${Math.round(pendingMs / 1000)} s ago, and its waiters have not been woken yet`,
});
