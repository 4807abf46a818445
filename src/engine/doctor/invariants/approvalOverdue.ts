import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  step: string;
  late_ms: number;
}

/** As with timers: far beyond a second, and only while a process that looks after deadlines has been up for that long. */
const patienceMs = 30_000;

/** A deadline that passed has been applied. */
export const approvalOverdue = defineCheck<Row>({
  invariant: 'I8',
  name: 'approvalOverdue',
  text: `
    select a.run_id as subject, a.project_id, a.step,
      (extract(epoch from coalesce($2::timestamptz, now()) - a.expires_at) * 1000)::float8 as late_ms
    from approval a
    where a.status = 'pending' and a.expires_at is not null
      and a.expires_at < coalesce($2::timestamptz, now()) - $3::float8 * interval '1 ms'
      and exists (
        select from dispatcher
        where heartbeat_at > coalesce($2::timestamptz, now()) - interval '6 seconds'
          and started_at < coalesce($2::timestamptz, now()) - $3::float8 * interval '1 ms')
    order by a.expires_at
    limit $1`,
  values: ({ now }) => [now, patienceMs],
  describe: ({ subject, step, late_ms }) =>
    `the deadline of approval ${JSON.stringify(step)} of run ${subject} passed ${Math.round(late_ms / 1000)} s ago`,
});
