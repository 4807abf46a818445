import { float8, instant, ordinality, rowset, statement, uuid } from '../../../../db/index.ts';
import { type BufferScope, scopeColumns } from '../../../index.ts';

/** A scope with starts to buffer. */
export interface Gathering {
  /** The id to use if the scope has no open buffer. */
  id: string;
  scope: BufferScope;
  timeoutMs: number;
}

interface Row extends BufferScope {
  id: string;
  items: number;
  bytes: number;
}

/**
 * Locks the open buffer of each scope, or creates an empty one that is due in `timeoutMs`. Scopes
 * are sorted, because all transactions lock them in this order. If a buffer is closed or flushed
 * meanwhile, a new one is created.
 */
export const openBatches = statement<Row>('openBatches').writes({
  params: {
    now: instant,
    gatherings: rowset({
      id: uuid,
      ...scopeColumns,
      timeoutMs: float8,
      ord: ordinality,
    }),
  },
  text: `
    insert into flow_buffer as b (id, project_id, policy, app, workflow, key, runner, created_at, flush_at)
    select id, project_id, 'batch', app, workflow, key, runner, $now, $now + timeout_ms * interval '1 ms'
    from $gatherings as g
    order by ord
    on conflict (project_id, policy, app, workflow, key, runner) where not closed do update set closed = b.closed
    returning id, project_id, app, workflow, key, runner, items, bytes
  `,
});
