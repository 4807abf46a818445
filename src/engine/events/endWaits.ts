import type { EngineContext } from '../context.ts';
import { type HeardEvent, memoOf } from './heardEvent.ts';
import { settleWaits } from './sql/settleWaits.ts';
import type { Wait } from './waitGuards.ts';

/** Ends waits by an event, and announces that. Returns the woken runs, in order. */
export async function endWaits(ctx: EngineContext, event: HeardEvent, waits: readonly Wait[]): Promise<string[]> {
  if (waits.length === 0) return [];
  const rows = await settleWaits(ctx.db, {
    eventId: event.eventId,
    memo: memoOf(event),
    waits,
    now: ctx.clock.sql(),
  });
  const laneIds = new Set<number>();
  for (const { laneId, becameReady, steps } of rows) if (becameReady || steps === 0) laneIds.add(laneId);
  const woken = rows.filter((row) => row.steps > 0);
  ctx.bus.emit('run.moved', { runs: woken, goesOn: true });
  if (laneIds.size > 0) ctx.bus.emit('work.ready', { laneIds: [...laneIds] });
  return woken.map((row) => row.runId).sort();
}
