import { statement } from '../../db/index.ts';
import { type BufferScope, scopeColumns } from '../bufferScope.ts';

/** A scope with the last of its starts. */
export interface Debounced {
  /** Of the buffer, should the scope have none yet. */
  id: string;
  scope: BufferScope;
  periodMs: number;
  bytes: number;
}

export type DebouncedRow = { id: string } & Record<'project_id' | 'app' | 'workflow' | 'key' | 'runner', string>;

/**
 * Locks the buffer of each scope, or makes it, and has it wait for quiet anew. The clock is read under the lock: who came
 * last, waits from then; `created_at` tells of that one. Scopes come in the order in which all lock them; a buffer that is
 * flushed meanwhile is gone afterwards, and a new one made.
 */
export const slideDebounced = statement<{ debounced: readonly Debounced[]; now: Date | null }, DebouncedRow>({
  name: 'slideDebounced',
  writes: true,
  text: `
    insert into flow_buffer (id, project_id, policy, app, workflow, key, runner, items, bytes, created_at, flush_at)
    select id, project_id, 'debounce', app, workflow, key, runner, 1, bytes, coalesce($1::timestamptz, now()),
      coalesce($1::timestamptz, now()) + period_ms * interval '1 ms'
    from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::float8[])
      with ordinality as d(id, project_id, app, workflow, key, runner, bytes, period_ms, ord)
    order by ord
    on conflict (project_id, policy, app, workflow, key, runner) where not closed do update set
      bytes = excluded.bytes, created_at = excluded.created_at,
      flush_at = coalesce($1::timestamptz, clock_timestamp()) + (excluded.flush_at - excluded.created_at)
    returning id, project_id, app, workflow, key, runner
  `,
  values: ({ debounced, now }) => [
    now,
    debounced.map((each) => each.id),
    ...scopeColumns(debounced.map((each) => each.scope)),
    debounced.map((each) => each.bytes),
    debounced.map((each) => each.periodMs),
  ],
});
