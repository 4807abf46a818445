import type { EngineContext } from '../context.ts';
import { pruneCache, pruneKeys, pruneLanes } from './sql/pruneInference.ts';

const pageSize = 1_000;
const laneIdleMs = 86_400_000;
const keyIdleMs = 30 * 86_400_000;

/**
 * Deletes expired answers of the cache, idle lanes, and keys that were not used for a month; one
 * page of each. `full`: there may be more. The ledger of sends is kept as long as its run.
 */
export async function forgetInference(ctx: EngineContext): Promise<{ forgotten: number; full: boolean }> {
  const now = ctx.clock.sql();
  const page = { limit: pageSize, now };
  const pages = [
    await pruneCache(ctx.db, { ...page, ttlMs: ctx.settings.inference.cacheTtlMs }),
    await pruneLanes(ctx.db, { ...page, idleMs: laneIdleMs }),
    await pruneKeys(ctx.db, { ...page, idleMs: keyIdleMs }),
  ];
  const counts = pages.map((rows) => rows.length);
  return { forgotten: counts.reduce((sum, count) => sum + count, 0), full: counts.includes(pageSize) };
}
