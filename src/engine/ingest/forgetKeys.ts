import type { EngineContext } from '../context.ts';
import { deleteExpiredKeys } from './sql/deleteExpiredKeys.ts';

const pageSize = 2_000;

/**
 * Forgets keys against repeats whose window is over: nothing looks at them any more. A page at a
 * time; `full`: there may be more. Keys that somebody is about to use are left to the next time.
 */
export async function forgetKeys(ctx: EngineContext, limit = pageSize): Promise<{ forgotten: number; full: boolean }> {
  const [row] = await deleteExpiredKeys(ctx.db, { limit, now: ctx.clock.sql() });
  const forgotten = row?.deleted ?? 0;
  return { forgotten, full: forgotten === limit };
}
