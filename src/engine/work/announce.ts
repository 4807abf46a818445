import type { EngineContext } from '../context.ts';
import type { PausedRow } from './sql/pauseRuns.ts';
import type { SettledRow } from './sql/settleSteps.ts';

/** Tells this process what `settleSteps` did, once it is committed. */
export function announceSettled(ctx: EngineContext, rows: readonly SettledRow[]): void {
  const laneIds = new Set<number>();
  for (const { laneId, becameReady, dueInMs } of rows) {
    if (becameReady) laneIds.add(laneId);
    else if (dueInMs !== null) ctx.bus.emit('work.due', { inMs: Math.max(0, dueInMs) });
  }
  ctx.bus.emit('run.moved', { runs: rows });
  if (laneIds.size > 0) ctx.bus.emit('work.ready', { laneIds: [...laneIds] });
}

/** Tells that runs were paused, once that is committed: streams have news, and whoever executes one is to stop. */
export function announcePaused(ctx: EngineContext, paused: readonly PausedRow[]): void {
  ctx.bus.emit('run.moved', { runs: paused });
  for (const { runId, wasLeased } of paused) if (wasLeased) ctx.bus.emit('run.pausing', { runId });
}
