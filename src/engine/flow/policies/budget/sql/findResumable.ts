import { bigint, statement, text, uuid } from '../../../../db/index.ts';

/** Runs that a workflow's budget paused, if it is no longer spent. Oldest first. */
export const findResumable = statement<{ runId: string }>('findResumable').reads({
  params: { projectId: uuid, app: text, workflow: text, limit: bigint },
  text: `
    select id as run_id from run
    where project_id = $projectId and app = $app and workflow = $workflow and paused_reason = 'budget'
      and not exists (
        select from flow_budget b
        where b.project_id = $projectId and b.app = $app and b.workflow = $workflow and b.exceeded_at is not null)
    order by id
    limit $limit
  `,
});
