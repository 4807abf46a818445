import type { EngineContext } from '../context.ts';
import type { FinishedRow } from './sql/finishRuns.ts';

/** Tells streams, and dispatchers that execute one of the runs, that they ended from outside. */
export function announceFinished(ctx: EngineContext, rows: readonly FinishedRow[], reason: string): void {
  for (const { project_id: projectId, run_id: runId, app, workflow, was_leased } of rows) {
    ctx.bus.emit('run.frames', { projectId, runId, app, workflow, frames: [] });
    if (was_leased) ctx.bus.emit('run.cancelled', { runId, reason });
  }
}
