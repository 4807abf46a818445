import type { EngineContext } from '../../context.ts';
import { deleteOldHours } from './sql/deleteOldHours.ts';

const pageSize = 1_000;

/** Only the count of the present hour is ever read. The rest is for people who look into it. */
const keptMs = 2 * 86_400_000;

/** Deletes old counts of unverified messages, one page at a time. `full`: there may be more. */
export async function forgetHours(ctx: EngineContext, limit = pageSize): Promise<{ forgotten: number; full: boolean }> {
  const [row] = await deleteOldHours(ctx.db, { limit, keptMs, now: ctx.clock.sql() });
  const forgotten = row?.deleted ?? 0;
  return { forgotten, full: forgotten === limit };
}
