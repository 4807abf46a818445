import { defineCheck, type FoundRow } from './check.ts';
import { hasLiveDispatcher, recoveryGrace } from './grace.ts';

interface Row extends FoundRow {
  cron: string;
  workflow: string;
  lateMs: number;
}

/** A due schedule fires. */
export const cronOverdue = defineCheck<Row>({
  invariant: 'I17',
  name: 'cronOverdue',
  text: `
    select schedule.id as subject, workflow.project_id, schedule.cron, workflow.name as workflow,
      (extract(epoch from $now - schedule.next_fire_at) * 1000)::float8 as late_ms
    from cron_schedule schedule
    join workflow on workflow.id = schedule.workflow_id
    where schedule.next_fire_at < $now - ${recoveryGrace}
      and ${hasLiveDispatcher(recoveryGrace)}
    order by schedule.next_fire_at
    limit $limit`,
  describe: ({ subject, cron, workflow, lateMs }) =>
    `schedule ${cron} of workflow ${JSON.stringify(workflow)} was due to fire ${Math.round(lateMs / 1000)} s ago (${subject})`,
});
