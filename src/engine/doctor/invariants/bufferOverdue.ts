import { defineCheck, type FoundRow } from './check.ts';
import { hasLiveDispatcher, recoveryGrace } from './grace.ts';

interface Row extends FoundRow {
  policy: string;
  workflow: string;
  lateMs: number;
}

/** A due buffer is flushed, unless its flush must wait and is postponed. */
export const bufferOverdue = defineCheck<Row>({
  invariant: 'I10',
  name: 'bufferOverdue',
  text: `
    select id as subject, project_id, policy, workflow,
      (extract(epoch from $now - flush_at) * 1000)::float8 as late_ms
    from flow_buffer
    where policy in ('debounce', 'batch')
      and flush_at < $now - ${recoveryGrace}
      and ${hasLiveDispatcher(recoveryGrace)}
    order by flush_at
    limit $limit`,
  describe: ({ subject, policy, workflow, lateMs }) =>
    `the ${policy} buffer ${subject} of workflow ${JSON.stringify(workflow)} was due for its flush ${Math.round(lateMs / 1000)} s ago`,
});
