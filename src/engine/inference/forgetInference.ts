import type { EngineContext } from '../context.ts';
import { forgetCached } from './cache/cachedAnswers.ts';
import { pruneKeys, pruneLanes } from './sql/pruneInference.ts';

const pageSize = 1_000;
const laneIdleMs = 86_400_000;
const keyIdleMs = 30 * 86_400_000;

/**
 * Deletes expired answers of the cache, idle lanes, and keys that were not used for a month; one
 * page of each. `full`: there may be more. The ledger of sends is kept as long as its run.
 */
export async function forgetInference(ctx: EngineContext): Promise<{ forgotten: number; full: boolean }> {
  const page = { limit: pageSize, now: ctx.clock.sql() };
  const cached = await forgetCached(ctx);
  const lanes = await pruneLanes(ctx.db, { ...page, idleMs: laneIdleMs });
  const keys = await pruneKeys(ctx.db, { ...page, idleMs: keyIdleMs });
  const forgotten = cached.forgotten + lanes.length + keys.length;
  return { forgotten, full: cached.full || lanes.length === pageSize || keys.length === pageSize };
}
