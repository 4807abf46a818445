import { bigint, statement, text, uuid } from '../../db/index.ts';

export interface BufferRow {
  app: string;
  workflow: string;
  buffers: number;
  items: number;
  firstFlushAt: Date;
  oldestAt: Date;
}

/** A policy's buffers and their items by workflow, the fullest first. */
export const listBuffers = statement<BufferRow>('listBuffers').reads({
  params: {
    projectId: uuid,
    policy: text,
    /** Default: all workflows of the project. */
    workflow: text.orNull,
    /** Default: all apps. */
    app: text.orNull,
    limit: bigint,
  },
  text: `
    select app, workflow, count(*) as buffers, sum(items)::int8 as items, min(flush_at) as first_flush_at,
      min(created_at) as oldest_at
    from flow_buffer
    where project_id = $projectId and policy = $policy and ($workflow is null or workflow = $workflow)
      and ($app is null or app = $app)
    group by app, workflow
    order by sum(items) desc, app, workflow
    limit $limit
  `,
});
