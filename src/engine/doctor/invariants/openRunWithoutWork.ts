import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  status: string;
}

/** No part of the service would ever read such a run. Uses the index on project and status. */
export const openRunWithoutWork = defineCheck<Row>({
  invariant: 'I3',
  name: 'openRunWithoutWork',
  text: `
    select run.id as subject, run.project_id, run.status
    from project
    join run on run.project_id = project.id
      and run.status in ('queued', 'running', 'waiting', 'paused', 'needs_attention')
    where not exists (select from run_work where run_work.run_id = run.id)
    limit $limit`,
  describe: ({ subject, status }) => `run ${subject} is ${status}, but has no queue row`,
});
