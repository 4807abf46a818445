import type { EngineContext } from '../context.ts';
import { nextDue } from './sql/nextDue.ts';
import { wakeDue } from './sql/wakeDue.ts';

const pageSize = 500;

/** Wakes what is due now, a page at most; answers how many runs it woke. Call again while a page comes back full. */
export async function wakeDueRuns(ctx: EngineContext): Promise<{ woken: number; full: boolean }> {
  const rows = await wakeDue(ctx.db, { limit: pageSize, now: ctx.clock.sql() });
  for (const { project_id: projectId, run_id: runId, app, workflow } of rows) {
    ctx.bus.emit('run.frames', { projectId, runId, app, workflow, frames: [] });
  }
  if (rows.length > 0) ctx.bus.emit('work.ready', { laneIds: [...new Set(rows.map((row) => row.lane_id))] });
  return { woken: rows.length, full: rows.length === pageSize };
}

/** In how many ms something is due next; undefined when nothing waits for its time. */
export async function nextDueInMs(ctx: EngineContext): Promise<number | undefined> {
  const [row] = await nextDue(ctx.db, { now: ctx.clock.sql() });
  return row?.in_ms ?? undefined;
}
