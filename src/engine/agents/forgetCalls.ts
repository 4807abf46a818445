import type { EngineContext } from '../context.ts';
import { deleteExpiredCalls } from './sql/deleteExpiredCalls.ts';

const pageSize = 2_000;

/** Deletes expired claims of calls, one page at a time. `full`: there may be more. */
export async function forgetCalls(ctx: EngineContext, limit = pageSize): Promise<{ forgotten: number; full: boolean }> {
  const [row] = await deleteExpiredCalls(ctx.db, { limit, now: ctx.clock.sql() });
  const forgotten = row?.deleted ?? 0;
  return { forgotten, full: forgotten === limit };
}
