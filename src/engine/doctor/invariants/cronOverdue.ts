import { defineCheck, type FoundRow } from './check.ts';
import { isLookedAfter } from './grace.ts';

interface Row extends FoundRow {
  cron: string;
  workflow: string;
  lateMs: number;
}

/** Schedules fire within a second or so; this is beyond any recovery. */
const grace = "interval '30 seconds'";

/**
 * Held against the service only while a process that looks after schedules has been up for that
 * long.
 */
export const cronOverdue = defineCheck<Row>({
  invariant: 'I17',
  name: 'cronOverdue',
  text: `
    select schedule.id as subject, workflow.project_id, schedule.cron, workflow.name as workflow,
      (extract(epoch from $now - schedule.next_fire_at) * 1000)::float8 as late_ms
    from cron_schedule schedule
    join workflow on workflow.id = schedule.workflow_id
    where schedule.next_fire_at < $now - ${grace}
      and ${isLookedAfter(grace)}
    order by schedule.next_fire_at
    limit $limit`,
  describe: ({ subject, cron, workflow, lateMs }) =>
    `schedule ${cron} of workflow ${JSON.stringify(workflow)} should have fired ${Math.round(lateMs / 1000)} s ago (${subject})`,
});
