import { bigint, float8, instant, ordinality, rowset, statement, uuid } from '../../../../db/index.ts';
import { type BufferScope, scopeColumns } from '../../../index.ts';

/** A scope with its last start. */
export interface Debounced {
  /** The id to use if the scope has no buffer. */
  id: string;
  scope: BufferScope;
  periodMs: number;
  bytes: number;
}

interface Row extends BufferScope {
  id: string;
}

/**
 * Locks or creates the buffer of each scope, and restarts its wait. The clock is read under the
 * lock, so the wait and `created_at` begin with the last start. Scopes are sorted, because all
 * transactions lock them in this order. If a buffer is flushed meanwhile, a new one is created.
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
