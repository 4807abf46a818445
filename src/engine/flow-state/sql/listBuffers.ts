import { statement } from '../../db/index.ts';

interface Params {
  projectId: string;
  /** All of the project when undefined. */
  workflow: string | undefined;
  limit: number;
}

interface Row {
  policy: 'debounce' | 'batch';
  app: string;
  workflow: string;
  buffers: number;
  items: number;
  first_flush_at: Date;
  oldest_at: Date;
}

/** What is buffered of each workflow, by policy. */
export const listBuffers = statement<Params, Row>({
  name: 'listBuffers',
  writes: false,
  text: `
    select policy, app, workflow, count(*) as buffers, sum(items)::int8 as items, min(flush_at) as first_flush_at,
      min(created_at) as oldest_at
    from flow_buffer
    where project_id = $1 and ($2::text is null or workflow = $2)
    group by policy, app, workflow
    order by policy, app, workflow
    limit $3
  `,
  values: ({ projectId, workflow, limit }) => [projectId, workflow ?? null, limit],
});
