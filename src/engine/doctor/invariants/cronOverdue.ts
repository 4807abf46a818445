import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  cron: string;
  workflow: string;
  late_ms: number;
}

/** Schedules fire within a second or so; this is beyond any recovery. */
const patienceMs = 30_000;

/** Held against the service only while a process that looks after schedules has been up for that long. */
export const cronOverdue = defineCheck<Row>({
  invariant: 'I17',
  name: 'cronOverdue',
  text: `
    select schedule.id as subject, workflow.project_id, schedule.cron, workflow.name as workflow,
      (extract(epoch from coalesce($2::timestamptz, now()) - schedule.next_fire_at) * 1000)::float8 as late_ms
    from cron_schedule schedule
    join workflow on workflow.id = schedule.workflow_id
    where schedule.next_fire_at < coalesce($2::timestamptz, now()) - $3::float8 * interval '1 ms'
      and exists (
        select from dispatcher
        where heartbeat_at > coalesce($2::timestamptz, now()) - interval '6 seconds'
          and started_at < coalesce($2::timestamptz, now()) - $3::float8 * interval '1 ms')
    order by schedule.next_fire_at
    limit $1`,
  values: ({ now }) => [now, patienceMs],
  describe: ({ subject, cron, workflow, late_ms }) =>
    `schedule ${cron} of workflow ${JSON.stringify(workflow)} should have fired ${Math.round(late_ms / 1000)} s ago (${subject})`,
});
