import { statement } from '../../db/index.ts';

interface Params {
  projectId: string;
  /** All of the project when undefined. */
  workflow: string | undefined;
  limit: number;
}

/** Workflows whose `concurrency` has no key, so that it has one scope. */
export const listUnkeyed = statement<Params, { app: string; workflow: string; limit: number }>({
  name: 'listUnkeyed',
  writes: false,
  text: `
    select app, name as workflow, (flow_control -> 'concurrency' ->> 'limit')::int8 as limit
    from workflow
    where project_id = $1 and ($2::text is null or name = $2)
      and flow_control -> 'concurrency' is not null and flow_control -> 'concurrency' ->> 'key' is null
    order by app, name
    limit $3
  `,
  values: ({ projectId, workflow, limit }) => [projectId, workflow ?? null, limit],
});
