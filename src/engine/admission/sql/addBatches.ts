import { statement } from '../../db/index.ts';
import { scopeColumns } from '../bufferScope.ts';
import type { FilledBuffer } from '../fillBuffers.ts';

/** Adds the buffers that go on where full ones end. At most one of a scope is open; the caller has locked, and closed, the one before. */
export const addBatches = statement<{ buffers: readonly FilledBuffer[]; now: Date | null }, Record<string, never>>({
  name: 'addBatches',
  writes: true,
  text: `
    insert into flow_buffer (id, project_id, policy, app, workflow, key, runner, items, bytes, closed, created_at, flush_at)
    select id, project_id, 'batch', app, workflow, key, runner, items, bytes, closed, coalesce($1::timestamptz, now()),
      coalesce($1::timestamptz, now()) + case when closed then 0 else timeout_ms end * interval '1 ms'
    from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::float8[], $9::int[],
      $10::bigint[], $11::bool[])
      as g(id, project_id, app, workflow, key, runner, timeout_ms, items, bytes, closed)
  `,
  values: ({ buffers, now }) => [
    now,
    buffers.map((each) => each.id),
    ...scopeColumns(buffers.map((each) => each.scope)),
    buffers.map((each) => each.timeoutMs),
    buffers.map((each) => each.items),
    buffers.map((each) => each.bytes),
    buffers.map((each) => each.closed),
  ],
});
