import type { EngineContext } from '../context.ts';
import { deleteExpiredTickets } from './sql/deleteExpiredTickets.ts';

const pageSize = 2_000;

/** Deletes expired tickets, one page at a time. `full`: there may be more. */
export async function forgetTickets(
  ctx: EngineContext,
  limit = pageSize,
): Promise<{ forgotten: number; full: boolean }> {
  const [row] = await deleteExpiredTickets(ctx.db, { limit, now: ctx.clock.sql() });
  const forgotten = row?.deleted ?? 0;
  return { forgotten, full: forgotten === limit };
}
