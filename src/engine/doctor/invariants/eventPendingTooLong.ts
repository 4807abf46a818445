import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  pending_ms: number;
}

/** Held against the service only while a process that looks after such events has been up for that long. */
export const eventPendingTooLong = defineCheck<Row>({
  invariant: 'I9',
  name: 'eventPendingTooLong',
  text: `
    select event_id as subject, project_id,
      (extract(epoch from coalesce($2::timestamptz, now()) - created_at) * 1000)::float8 as pending_ms
    from event_pending
    where created_at < coalesce($2::timestamptz, now()) - interval '1 minute'
      and exists (
        select from dispatcher
        where heartbeat_at > coalesce($2::timestamptz, now()) - interval '6 seconds'
          and started_at < coalesce($2::timestamptz, now()) - interval '1 minute')
    limit $1`,
  values: ({ now }) => [now],
  describe: ({ subject, pending_ms }) =>
    `event ${subject} was recorded ${Math.round(pending_ms / 1000)} s ago, and its waiters have not been woken yet`,
});
