import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  workflow: string;
  cron: string;
  scheduledAt: string;
  runs: number;
}

/**
 * The input of a schedule's run has its due instant. Forks are omitted, because they repeat a run
 * on purpose.
 */
export const cronFiredTwice = defineCheck<Row>({
  invariant: 'I17',
  name: 'cronFiredTwice',
  text: `
    select max(id::text) as subject, project_id, workflow, cron, scheduled_at, count(*)::int as runs
    from (
      select id, project_id, app, workflow, input ->> 'cron' as cron, input ->> 'scheduledAt' as scheduled_at
      from run
      where id >= $floorId and trigger_kind = 'cron' and replay_of is null
    ) fired
    group by project_id, app, workflow, cron, scheduled_at
    having count(*) > 1
    limit $limit`,
  describe: ({ subject, workflow, cron, scheduledAt, runs }) =>
    `${scheduledAt} of schedule ${cron} started workflow ${JSON.stringify(workflow)} ${runs} times, last as run ${subject}`,
});
