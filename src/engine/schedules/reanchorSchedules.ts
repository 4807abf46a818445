import type { EngineContext } from '../context.ts';
import { nextFire } from '../registry/index.ts';
import { reanchor } from './sql/reanchor.ts';
import { takeSchedulesAhead } from './sql/takeSchedulesAhead.ts';

const pageSize = 500;
/** Clocks are set back by seconds all the time; that much silence of a schedule is no harm. */
const toleranceMs = 60_000;

/**
 * Brings schedules back that a clock which ran ahead took along: without it, one that fired a day early would be silent for
 * that day. Instants that have fired do not fire again when their time comes again. Answers how many it set.
 */
export async function reanchorSchedules(ctx: EngineContext): Promise<number> {
  const set = await ctx.db.transaction(async (tx) => {
    const rows = await takeSchedulesAhead(tx, { limit: pageSize, toleranceMs, now: ctx.clock.sql() });
    const schedules = rows.map(({ id, cron, now }) => ({ id, nextFireAt: nextFire(cron, now) }));
    if (schedules.length === 0) return [];
    await reanchor(tx, { schedules, now: ctx.clock.sql() });
    return rows;
  });
  if (set.length === 0) return 0;
  ctx.log.warn({ schedules: set.length }, 'the clock was set back: cron schedules follow it');
  ctx.bus.emit('work.due', { inMs: 0 });
  return set.length;
}
