import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/index.ts';
import { nextFireOf } from './fireSchedules.ts';
import { reanchor } from './sql/reanchor.ts';
import { type AheadRow, takeSchedulesAhead } from './sql/takeSchedulesAhead.ts';

const pageSize = 500;
/** Clocks are set back by seconds all the time; that much silence of a schedule is no harm. */
const toleranceMs = 60_000;

/**
 * Brings schedules back that a clock which ran ahead took along: without it, one that fired a day
 * early would be silent for that day. Instants that have fired do not fire again when their time
 * comes again. Answers how many it set.
 */
export async function reanchorSchedules(ctx: EngineContext): Promise<number> {
  const look = (db: Queryable, limit: number): Promise<AheadRow[]> =>
    takeSchedulesAhead(db, { limit, toleranceMs, now: ctx.clock.sql() });
  // Nearly always there is none, and no need for a transaction.
  if ((await look(ctx.db, 1)).length === 0) return 0;
  return ctx.db.transaction(async (tx) => {
    const schedules = (await look(tx, pageSize)).flatMap((row) => {
      const nextFireAt = nextFireOf(ctx, row, row.now);
      return nextFireAt ? [{ id: row.id, nextFireAt }] : [];
    });
    const set = await reanchor(tx, { schedules, now: ctx.clock.sql() });
    tx.afterCommit(() => {
      ctx.log.warn({ schedules: set.length }, 'clock set back: cron schedules moved');
      ctx.bus.emit('work.due', { inMs: 0 });
    });
    return set.length;
  });
}
