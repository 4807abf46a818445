import { statement } from '../../db/index.ts';
import { type BufferScope, scopeColumns } from '../bufferScope.ts';

/** A scope that has something to be gathered. */
export interface Gathering {
  /** Of the buffer, should the scope have no open one. */
  id: string;
  scope: BufferScope;
  timeoutMs: number;
}

export type OpenBatchRow = { id: string; items: number; bytes: number } & Record<
  'project_id' | 'app' | 'workflow' | 'key' | 'runner',
  string
>;

/**
 * Locks the open buffer of each scope, or makes it: empty, and to be flushed `timeoutMs` from now. Scopes come in the order
 * in which all lock them. A buffer that is closed or flushed meanwhile does not count, and a new one is made.
 */
export const openBatches = statement<{ gatherings: readonly Gathering[]; now: Date | null }, OpenBatchRow>({
  name: 'openBatches',
  writes: true,
  text: `
    insert into flow_buffer as b (id, project_id, policy, app, workflow, key, runner, created_at, flush_at)
    select id, project_id, 'batch', app, workflow, key, runner, coalesce($1::timestamptz, now()),
      coalesce($1::timestamptz, now()) + timeout_ms * interval '1 ms'
    from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::float8[])
      with ordinality as g(id, project_id, app, workflow, key, runner, timeout_ms, ord)
    order by ord
    on conflict (project_id, policy, app, workflow, key, runner) where not closed do update set closed = b.closed
    returning id, project_id, app, workflow, key, runner, items, bytes
  `,
  values: ({ gatherings, now }) => [
    now,
    gatherings.map((each) => each.id),
    ...scopeColumns(gatherings.map((each) => each.scope)),
    gatherings.map((each) => each.timeoutMs),
  ],
});
