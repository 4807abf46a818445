import { recordControl } from '../audit/index.ts';
import type { EngineContext } from '../context.ts';
import { conflict } from '../errors.ts';
import { openGatesSoon } from '../flow/index.ts';
import { isTerminal, type RunRow } from '../runs/index.ts';
import { announcePaused, pauseRuns } from '../work/index.ts';
import { type ControlCall, changeTarget } from './target.ts';

/**
 * Pauses an unfinished run (4.6): at once, or, while a pass is in flight, before its next step; until then the run reads as `running`
 * with `pausedBy` set. Timers, events, children and decisions go on being recorded. A paused run stays as it is. Answers the
 * run as the call left it. Throws `notFound`, and `conflict` when the run is over.
 */
export async function pauseRun(ctx: EngineContext, call: ControlCall): Promise<RunRow> {
  const { projectId, runId, actor } = call;
  const { run, changed } = await changeTarget(ctx, call, (tx) =>
    pauseRuns(tx, { projectId, runIds: [runId], reason: 'manual', actor: actor ?? null, now: ctx.clock.sql() }),
  );
  if (isTerminal(run.status)) throw conflict('runTerminal');
  announcePaused(ctx, changed);
  openGatesSoon(ctx, { slots: changed.flatMap((each) => each.freedSlot ?? []), projectIds: [] });
  await recordControl(ctx, { projectId, action: 'pause', runId, actor });
  return run;
}
