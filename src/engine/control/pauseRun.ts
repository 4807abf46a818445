import { recordControl } from '../audit/index.ts';
import type { EngineContext } from '../context.ts';
import { conflict } from '../errors.ts';
import { openGatesSoon } from '../flow/policies/concurrency/index.ts';
import { isTerminal, type RunRow } from '../runs/index.ts';
import { pauseWithin } from '../work/index.ts';
import { type ControlCall, changeTarget } from './target.ts';

/**
 * Pauses an unfinished run (4.6): at once, or before the next step of an executing pass. Until then
 * the run reads as `running` with `pausedBy` set. Timers, events, children and decisions are still
 * recorded. A paused run stays as it is. Answers the run as the call left it. Throws `notFound`,
 * and `conflict` if the run has ended.
 */
export async function pauseRun(ctx: EngineContext, call: ControlCall): Promise<RunRow> {
  const { projectId, runId, actor } = call;
  const { run } = await changeTarget(ctx, call, async (tx) => {
    const pause = { projectId, runIds: [runId], reason: 'manual', actor: actor ?? null } as const;
    const slots = (await pauseWithin(ctx, tx, pause)).flatMap((each) => each.freedSlot ?? []);
    tx.afterCommit(() => openGatesSoon(ctx, { slots, projectIds: [] }));
  });
  if (isTerminal(run.status)) throw conflict('runTerminal');
  await recordControl(ctx, { projectId, action: 'pause', runId, actor });
  return run;
}
