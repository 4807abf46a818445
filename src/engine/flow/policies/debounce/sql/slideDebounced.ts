import { bigint, float8, instant, ordinality, rowset, statement, uuid } from '../../../../db/index.ts';
import { type BufferScope, scopeColumns } from '../../../index.ts';

/** A scope with the last of its starts. */
export interface Debounced {
  /** Of the buffer, should the scope have none yet. */
  id: string;
  scope: BufferScope;
  periodMs: number;
  bytes: number;
}

interface Row extends BufferScope {
  id: string;
}

/**
 * Locks the buffer of each scope, or makes it, and makes it wait for quiet anew. The clock is read
 * under the lock: the last start waits from then, and `created_at` tells of it. Scopes come in the
 * order in which all lock them. A buffer that is flushed meanwhile is gone, and a new one is made.
 */
export const slideDebounced = statement<Row>('slideDebounced').writes({
  params: {
    now: instant,
    debounced: rowset({
      id: uuid,
      ...scopeColumns,
      bytes: bigint,
      periodMs: float8,
      ord: ordinality,
    }),
  },
  text: `
    insert into flow_buffer (id, project_id, policy, app, workflow, key, runner, items, bytes, created_at, flush_at)
    select id, project_id, 'debounce', app, workflow, key, runner, 1, bytes, $now, $now + period_ms * interval '1 ms'
    from $debounced as d
    order by ord
    on conflict (project_id, policy, app, workflow, key, runner) where not closed do update set
      bytes = excluded.bytes, created_at = excluded.created_at,
      flush_at = $clock + (excluded.flush_at - excluded.created_at)
    returning id, project_id, app, workflow, key, runner
  `,
});
