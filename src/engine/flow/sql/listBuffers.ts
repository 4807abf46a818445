import { bigint, statement, text, uuid } from '../../db/index.ts';

export interface BufferRow {
  policy: 'debounce' | 'batch';
  app: string;
  workflow: string;
  buffers: number;
  items: number;
  firstFlushAt: Date;
  oldestAt: Date;
}

/** Buffers and their items by policy and workflow. */
export const listBuffers = statement<BufferRow>('listBuffers').reads({
  params: {
    projectId: uuid,
    /** Default: all workflows of the project. */
    workflow: text.orNull,
    limit: bigint,
  },
  text: `
    select policy, app, workflow, count(*) as buffers, sum(items)::int8 as items, min(flush_at) as first_flush_at,
      min(created_at) as oldest_at
    from flow_buffer
    where project_id = $projectId and ($workflow is null or workflow = $workflow)
    group by policy, app, workflow
    order by policy, app, workflow
    limit $limit
  `,
});
