import type { EngineContext } from '../context.ts';
import type { PausedRow } from './sql/pauseRuns.ts';

/** Tells that runs were paused, once that is committed: streams have news, and whoever executes one is to stop. */
export function announcePaused(ctx: EngineContext, paused: readonly PausedRow[]): void {
  for (const { runId, projectId, app, workflow, wasLeased } of paused) {
    ctx.bus.emit('run.frames', { projectId, runId, app, workflow, frames: [] });
    if (wasLeased) ctx.bus.emit('run.pausing', { runId });
  }
}
