import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  workflow: string;
  runs: number;
}

/** Forks keep the event of their source, and do not count. */
export const startedTwice = defineCheck<Row>({
  invariant: 'I2',
  name: 'startedTwice',
  text: `
    select event_id as subject, project_id, workflow, count(*) as runs
    from run
    where id >= $floorId and event_id is not null and replay_of is null
    group by event_id, project_id, app, workflow
    having count(*) > 1
    limit $limit`,
  describe: ({ subject, workflow, runs }) => `event ${subject} started ${runs} runs of ${workflow}`,
});
