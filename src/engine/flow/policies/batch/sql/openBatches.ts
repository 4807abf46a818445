import { float8, instant, ordinality, rowset, statement, uuid } from '../../../../db/index.ts';
import { type BufferScope, scopeColumns } from '../../../index.ts';

/** A scope with starts to gather. */
export interface Gathering {
  /** Of the buffer, should the scope have no open one. */
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
 * Locks the open buffer of each scope, or makes it: empty, and to be flushed `timeoutMs` from now.
 * Scopes come in the order in which all lock them. A buffer that is closed or flushed meanwhile
 * does not count, and a new one is made.
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
