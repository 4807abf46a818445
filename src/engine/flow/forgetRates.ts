import type { EngineContext } from '../context.ts';
import { deletePassedRates } from './sql/deletePassedRates.ts';

const pageSize = 2_000;

/**
 * Forgets rates of `throttle`, `rateLimit` and `tokenThrottle` that hold nobody back any more: what
 * comes next counts as the first of its scope. A page at a time; `full`: there may be more.
 */
export async function forgetRates(ctx: EngineContext, limit = pageSize): Promise<{ forgotten: number; full: boolean }> {
  const [row] = await deletePassedRates(ctx.db, { limit, now: ctx.clock.sql() });
  const forgotten = row?.deleted ?? 0;
  return { forgotten, full: forgotten === limit };
}
