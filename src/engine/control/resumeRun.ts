import { recordControl } from '../audit/index.ts';
import type { EngineContext } from '../context.ts';
import { conflict } from '../errors.ts';
import { isTerminal, type RunRow } from '../runs/index.ts';
import { resumeRuns, wakeIfDue } from '../work/index.ts';
import { type ControlCall, changeTarget } from './target.ts';

/**
 * Lets a paused run go on (4.6): it is `queued` where there is something to do, also by a timer that came due meanwhile, and
 * otherwise waits on, as `waiting` or `needs_attention`. A pause that has not taken effect yet is taken back: the run stays
 * `running`. Answers the run as the call left it. Throws `notFound`, and `conflict` when the run is over or not paused.
 */
export async function resumeRun(ctx: EngineContext, call: ControlCall): Promise<RunRow> {
  const { projectId, runId, actor } = call;
  const { run, changed } = await changeTarget(ctx, call, async (tx) => {
    const now = ctx.clock.sql();
    const resumed = await resumeRuns(tx, { projectId, runIds: [runId], now });
    return { resumed, woken: resumed.length === 0 ? [] : await wakeIfDue(tx, { runIds: [runId], now }) };
  });
  const [resumed] = changed.resumed;
  if (!resumed) throw conflict(isTerminal(run.status) ? 'runTerminal' : 'runNotPaused');
  const { laneId, isReady, dueInMs } = resumed;
  ctx.bus.emit('run.moved', { runs: [resumed] });
  if (isReady || changed.woken.length > 0) ctx.bus.emit('work.ready', { laneIds: [laneId] });
  // Also of a run whose sleep was over, and which backs off all the same.
  if (dueInMs !== null) ctx.bus.emit('work.due', { inMs: Math.max(0, dueInMs) });
  await recordControl(ctx, { projectId, action: 'resume', runId, actor });
  return run;
}
