import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  policy: string;
  workflow: string;
  late_ms: number;
}

/** Buffers are flushed within a second or so; this is beyond any recovery. What has to wait longer, is put off. */
const patienceMs = 30_000;

/** Held against the service only while a process that looks after buffers has been up for that long. */
export const bufferOverdue = defineCheck<Row>({
  invariant: 'I10',
  name: 'bufferOverdue',
  text: `
    select id as subject, project_id, policy, workflow,
      (extract(epoch from coalesce($2::timestamptz, now()) - flush_at) * 1000)::float8 as late_ms
    from flow_buffer
    where policy in ('debounce', 'batch')
      and flush_at < coalesce($2::timestamptz, now()) - $3::float8 * interval '1 ms'
      and exists (
        select from dispatcher
        where heartbeat_at > coalesce($2::timestamptz, now()) - interval '6 seconds'
          and started_at < coalesce($2::timestamptz, now()) - $3::float8 * interval '1 ms')
    order by flush_at
    limit $1`,
  values: ({ now }) => [now, patienceMs],
  describe: ({ subject, policy, workflow, late_ms }) =>
    `the ${policy} buffer ${subject} of workflow ${JSON.stringify(workflow)} should have been flushed ${Math.round(late_ms / 1000)} s ago`,
});
