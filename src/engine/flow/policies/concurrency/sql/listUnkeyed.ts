import { bigint, statement, text, uuid } from '../../../../db/index.ts';

/** Workflows whose `concurrency` has no key, so that it has one scope. */
export const listUnkeyed = statement<{ app: string; workflow: string; limit: number }>('listUnkeyed').reads({
  params: {
    projectId: uuid,
    /** Default: all workflows of the project. */
    workflow: text.orNull,
    /** Default: all apps. */
    app: text.orNull,
    limit: bigint,
  },
  text: `
    select app, name as workflow, (flow_control -> 'concurrency' ->> 'limit')::int8 as limit
    from workflow
    where project_id = $projectId and ($workflow is null or name = $workflow) and ($app is null or app = $app)
      and flow_control -> 'concurrency' is not null and flow_control -> 'concurrency' ->> 'key' is null
    order by app, name
    limit $limit
  `,
});
