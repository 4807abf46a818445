import type { EngineContext } from '../../context.ts';
import { plannedRead } from '../../longRead.ts';
import { Conditions } from '../../paging/index.ts';
import { keyOfScope, maxStateRows, type ScopeKey, type StateQuestion } from '../index.ts';

/** The policies that gather starts in buffers. */
export const bufferPolicies = ['debounce', 'batch'] as const;

/** Starts of one scope that wait for a quiet period, or for more events. */
export interface OpenBufferRow {
  policy: (typeof bufferPolicies)[number];
  app: string;
  workflow: string;
  /** The value at the policy's key; undefined for the whole workflow. */
  key: string | undefined;
  /** The pinned runner. */
  runner: string | null;
  items: number;
  /** When its first start came. */
  since: Date;
  /** When its run starts, unless another event moves it. */
  dueAt: Date;
}

/**
 * Open buffers, the next due first. The plan depends on the project: one with few buffers is read
 * by the index of its scopes, one with a million by the index of due times, policy by policy.
 */
export async function readOpenBuffers(
  ctx: EngineContext,
  { projectId, workflow, app }: StateQuestion,
): Promise<OpenBufferRow[]> {
  const where = new Conditions();
  where.add(`project_id = ${where.parameter(projectId)}::uuid and not closed`);
  where.equal('workflow', workflow);
  where.equal('app', app);
  if (where.impossible) return [];
  const order = `order by flush_at, id limit ${maxStateRows}`;
  const parts = bufferPolicies.map(
    (policy) => `(select * from flow_buffer where ${where.text} and policy = '${policy}' ${order})`,
  );
  const text = `
    select policy, app, workflow, key, nullif(runner, '') as runner, items, created_at as since, flush_at as due_at
    from (${parts.join(' union all ')}) open ${order}`;
  type Row = Omit<OpenBufferRow, 'key'> & { key: ScopeKey };
  const rows = await plannedRead<Row>(ctx, { text, values: where.values });
  return rows.map((row) => ({ ...row, key: keyOfScope(row.key) }));
}
