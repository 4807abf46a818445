import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/index.ts';
import { nextFireOf } from './fireSchedules.ts';
import { reanchor } from './sql/reanchor.ts';
import { type AheadRow, takeSchedulesAhead } from './sql/takeSchedulesAhead.ts';

const pageSize = 500;
/** Clocks are often set back by seconds. A schedule that is silent for that long does no harm. */
const toleranceMs = 60_000;

/**
 * Corrects schedules that fired while the clock ran ahead. Without this, a schedule that fired a
 * day early would be silent for that day. Instants that have fired do not fire again. Returns the
 * number of changed schedules.
 */
export async function reanchorSchedules(ctx: EngineContext): Promise<number> {
  const look = (db: Queryable, limit: number): Promise<AheadRow[]> =>
    takeSchedulesAhead(db, { limit, toleranceMs, now: ctx.clock.sql() });
  // Usually there is none, and no transaction is needed.
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
