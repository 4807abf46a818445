import type { EngineContext } from '../context.ts';
import { deleteExpiredKeys } from './sql/deleteExpiredKeys.ts';

const pageSize = 2_000;

/**
 * Deletes expired deduplication keys, one page at a time. `full`: there may be more. Keys that a
 * start is about to use are skipped.
 */
export async function forgetKeys(ctx: EngineContext, limit = pageSize): Promise<{ forgotten: number; full: boolean }> {
  const [row] = await deleteExpiredKeys(ctx.db, { limit, now: ctx.clock.sql() });
  const forgotten = row?.deleted ?? 0;
  return { forgotten, full: forgotten === limit };
}
