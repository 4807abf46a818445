import { defineCheck, type FoundRow } from './check.ts';
import { isLookedAfter } from './grace.ts';

interface Row extends FoundRow {
  policy: string;
  workflow: string;
  lateMs: number;
}

/**
 * Buffers are flushed within a second or so; this is beyond any recovery. What has to wait longer,
 * is put off.
 */
const grace = "interval '30 seconds'";

/**
 * Held against the service only while a process that looks after buffers has been up for that long.
 */
export const bufferOverdue = defineCheck<Row>({
  invariant: 'I10',
  name: 'bufferOverdue',
  text: `
    select id as subject, project_id, policy, workflow,
      (extract(epoch from $now - flush_at) * 1000)::float8 as late_ms
    from flow_buffer
    where policy in ('debounce', 'batch')
      and flush_at < $now - ${grace}
      and ${isLookedAfter(grace)}
    order by flush_at
    limit $limit`,
  describe: ({ subject, policy, workflow, lateMs }) =>
    `the ${policy} buffer ${subject} of workflow ${JSON.stringify(workflow)} should have been flushed ${Math.round(lateMs / 1000)} s ago`,
});
