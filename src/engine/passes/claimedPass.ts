import type { StartedStep } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../context.ts';
import type { NewRun } from '../ingest/index.ts';
import type { Transport } from '../tally/index.ts';
import { type ClaimedRow, releaseRuns, type SavedStep } from '../work/index.ts';
import { startedPass, wokenPass } from './buildPass.ts';
import { type Claimed, type ClaimRequest, claimRuns } from './claimRuns.ts';
import { continueText } from './continueText.ts';
import { invokeText } from './invokeText.ts';
import { memoOf } from './loadMemo.ts';
import type { Pass, Reply, Unanswered } from './pass.ts';
import { recordStartedSteps } from './recordStarted.ts';
import { refuseOversized, type Settlement, settlePass } from './settlePass.ts';

/** A leased run, as a dispatcher executes it: invoked and settled until it is `released`. */
export interface ClaimedPass {
  readonly runId: string;
  readonly laneId: number;
  /** The dispatcher that leases the run. */
  readonly dispatcherId: string;
  /** JSON text of the invoke request. */
  invokeText(): string;
  /**
   * JSON text of the members of a `continue`, for the runner that holds the handler of the last
   * answer. Undefined: a full pass must follow. Either text tells the runner of the whole memo.
   */
  continueText(): string | undefined;
  /** Records steps that the runner executes. `invokedMs`: since the invoke was sent. */
  started(steps: readonly StartedStep[], invokedMs: number): void;
  /**
   * Commits the outcome of the invoke. Never rejects. After `again`, `invokeText` has the new memo.
   * `over`: how its runner is reached.
   */
  settle(reply: Reply, over: Transport): Promise<Settlement>;
}

/**
 * Claims runs. A run whose memo exceeded the limit while it was parked fails instead of being sent
 * (4.10).
 */
export async function claimPasses(ctx: EngineContext, request: ClaimRequest): Promise<Claimed<ClaimedPass>> {
  const { passes, lanesWithMore } = await claimRuns(ctx, request);
  const accepted: ClaimedPass[] = [];
  for (const pass of passes) if (!(await isRefused(ctx, pass))) accepted.push(claimed(ctx, pass));
  return { passes: accepted, lanesWithMore };
}

/** The pass of an eager start. Undefined: it could not be built, and the run is released. */
export async function startPass(
  ctx: EngineContext,
  run: NewRun,
  lease: { dispatcherId: string; startedAt: Date },
): Promise<ClaimedPass | undefined> {
  try {
    return claimed(ctx, await startedPass(ctx, run, lease));
  } catch (error) {
    ctx.log.warn({ err: error, runId: run.runId }, 'eager start failed: releasing its run');
    await releaseRuns(ctx, lease.dispatcherId, [run.runId]);
    return undefined;
  }
}

/** The pass of an eager wake. Undefined: it could not be built, or the run has ended. */
export async function wakePass(
  ctx: EngineContext,
  run: ClaimedRow,
  { dispatcherId, steps }: { dispatcherId: string; steps: readonly SavedStep[] },
): Promise<ClaimedPass | undefined> {
  try {
    const pass = await wokenPass(ctx, run, { dispatcherId, memo: memoOf(steps) });
    return (await isRefused(ctx, pass)) ? undefined : claimed(ctx, pass);
  } catch (error) {
    ctx.log.warn({ err: error, runId: run.id }, 'eager wake failed: releasing its run');
    await releaseRuns(ctx, dispatcherId, [run.id]);
    return undefined;
  }
}

/** Releases runs that were not executed, or will not be executed here any more. Never rejects. */
export async function releasePasses(ctx: EngineContext, passes: readonly ClaimedPass[]): Promise<void> {
  // The passes may have several ids, because a dispatcher may have registered again.
  for (const dispatcherId of new Set(passes.map((pass) => pass.dispatcherId))) {
    const runIds = passes.flatMap((pass) => (pass.dispatcherId === dispatcherId ? pass.runId : []));
    await releaseRuns(ctx, dispatcherId, runIds);
  }
}

const claimed = (ctx: EngineContext, pass: Pass): ClaimedPass => ({
  runId: pass.runId,
  laneId: pass.laneId,
  dispatcherId: pass.dispatcherId,
  invokeText: () => invokeText(pass),
  continueText: () => continueText(pass),
  started: (steps, invokedMs) => void recordStartedSteps(ctx, pass, { steps, invokedMs }),
  settle: (reply, over) => {
    if (reply.kind === 'transport') logUnanswered(ctx, pass, reply);
    return settlePass(ctx, pass, { ...reply, over });
  },
});

async function isRefused(ctx: EngineContext, pass: Pass): Promise<boolean> {
  try {
    return await refuseOversized(ctx, pass);
  } catch (error) {
    ctx.log.warn({ err: error, runId: pass.runId }, 'a run with an oversized memo could not be failed: it is released');
    await releaseRuns(ctx, pass.dispatcherId, [pass.runId]);
    return true;
  }
}

/**
 * Logs why an invoke got no answer, because the run only says that its runner did not answer. A
 * lost socket is no warning, because runners disconnect regularly.
 */
function logUnanswered({ log }: EngineContext, pass: Pass, { from, reason, socketLost }: Unanswered): void {
  const { runId, projectId, app, workflow } = pass;
  const runner = from?.runner ?? (pass.runner === '' ? undefined : pass.runner);
  const fields = { runId, projectId, app, workflow, runner, origin: from?.origin, reason };
  if (socketLost) log.info(fields, 'invoke unanswered');
  else log.warn(fields, 'invoke unanswered');
}
