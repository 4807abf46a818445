import type { EngineContext } from '../context.ts';
import { keyOfScope } from './scope.ts';
import { listTokenBuckets } from './sql/listTokenBuckets.ts';

/** What is in a bucket of `tokenThrottle` (4.9). */
export interface TokenBucketState {
  app: string;
  workflow: string;
  /** The value at the policy's key; undefined for the whole workflow. */
  key: string | undefined;
  /** Whole tokens; not below zero, however much it is overdrawn. */
  available: number;
  /** When starts that wait for it may go; undefined where none has to. */
  nextStartAt: Date | undefined;
}

const maxRows = 1000;

/**
 * The buckets of a project, or of its workflows of one name, that are not full, and those of
 * policies without a key; at most 1000, the emptiest first.
 */
export async function readTokenBuckets(
  ctx: EngineContext,
  { projectId, workflow }: { projectId: string; workflow?: string | undefined },
): Promise<TokenBucketState[]> {
  const rows = await listTokenBuckets(ctx.db, { projectId, workflow, limit: maxRows, now: ctx.clock.sql() });
  return rows.map((row) => ({
    app: row.app,
    workflow: row.workflow,
    key: keyOfScope(row.key),
    available: Math.max(0, row.available),
    nextStartAt: row.refilledAt ?? undefined,
  }));
}
