import { bigint, bool, float8, instant, int, rowset, statement, uuid } from '../../../../db/index.ts';
import { scopeColumns } from '../../../index.ts';

/**
 * Adds the buffers that follow full ones. A scope has at most one open buffer, because the caller
 * has locked and closed the previous one.
 */
export const addBatches = statement<Record<string, never>>('addBatches').writes({
  params: {
    now: instant,
    buffers: rowset({
      id: uuid,
      ...scopeColumns,
      timeoutMs: float8,
      items: int,
      bytes: bigint,
      closed: bool,
    }),
  },
  text: `
    insert into flow_buffer (id, project_id, policy, app, workflow, key, runner, items, bytes, closed, created_at, flush_at)
    select id, project_id, 'batch', app, workflow, key, runner, items, bytes, closed, $now,
      $now + case when closed then 0 else timeout_ms end * interval '1 ms'
    from $buffers as g
  `,
});
