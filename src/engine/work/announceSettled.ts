import type { EngineContext } from '../context.ts';
import type { SettledRow } from './sql/settleSteps.ts';

/** Tells this process what `settleSteps` did, once it is committed. */
export function announceSettled(ctx: EngineContext, rows: readonly SettledRow[]): void {
  const laneIds = new Set<number>();
  for (const { project_id: projectId, run_id: runId, app, workflow, lane_id, became_ready, due_in_ms } of rows) {
    if (became_ready) laneIds.add(lane_id);
    else if (due_in_ms !== null) ctx.bus.emit('work.due', { inMs: Math.max(0, due_in_ms) });
    ctx.bus.emit('run.frames', { projectId, runId, app, workflow, frames: [] });
  }
  if (laneIds.size > 0) ctx.bus.emit('work.ready', { laneIds: [...laneIds] });
}
