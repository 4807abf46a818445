import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  state: string;
  late_ms: number;
}

/** Healthy timers fire within a second; this is beyond any recovery. */
const patienceMs = 30_000;

/** Held against the service only while a process that looks after timers has been up for that long. */
export const timerOverdue = defineCheck<Row>({
  invariant: 'I8',
  name: 'timerOverdue',
  text: `
    select run_id as subject, project_id, state,
      (extract(epoch from coalesce($2::timestamptz, now()) - due_at) * 1000)::float8 as late_ms
    from run_work
    where state in ('parked', 'stranded') and due_at is not null
      and due_at < coalesce($2::timestamptz, now()) - $3::float8 * interval '1 ms'
      and exists (
        select from dispatcher
        where heartbeat_at > coalesce($2::timestamptz, now()) - interval '6 seconds'
          and started_at < coalesce($2::timestamptz, now()) - $3::float8 * interval '1 ms')
    order by due_at
    limit $1`,
  values: ({ now }) => [now, patienceMs],
  describe: ({ subject, state, late_ms }) =>
    state === 'parked'
      ? `run ${subject} should have woken ${Math.round(late_ms / 1000)} s ago`
      : `run ${subject} should have given up its wait for a runner ${Math.round(late_ms / 1000)} s ago`,
});
