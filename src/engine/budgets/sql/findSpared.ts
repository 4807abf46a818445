import { statement } from '../../db/index.ts';
import type { WorkflowRef } from '../budget.ts';

/** Runs that the workflow's budget has paused, or is about to, as long as it is not spent. Oldest first. */
export const findSpared = statement<WorkflowRef & { limit: number }, { run_id: string }>({
  name: 'findSpared',
  writes: false,
  text: `
    select id as run_id from run
    where project_id = $1::uuid and app = $2 and workflow = $3 and paused_reason = 'budget'
      and not exists (
        select from flow_budget b
        where b.project_id = $1::uuid and b.app = $2 and b.workflow = $3 and b.exceeded_at is not null)
    order by id
    limit $4
  `,
  values: ({ projectId, app, workflow, limit }) => [projectId, app, workflow, limit],
});
