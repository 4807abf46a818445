import type { EngineContext } from '../context.ts';
import type { NewRun } from '../ingest/index.ts';
import { type Demand, releaseRuns } from '../work/index.ts';
import { claimRuns } from './claimRuns.ts';
import { invokeText } from './invokeText.ts';
import { logUnanswered } from './logUnanswered.ts';
import type { Pass, Reply } from './pass.ts';
import { refuseOversized, type Settlement, settlePass } from './settlePass.ts';
import { startedPass } from './startedPass.ts';

/**
 * A leased run as a dispatcher drives it: it is invoked and settled until its settlement says
 * `released`.
 */
export interface ClaimedPass {
  readonly runId: string;
  readonly laneId: number;
  /** Under this id the run is leased. */
  readonly dispatcherId: string;
  /** JSON text of the invoke request. */
  invokeText(): string;
  /** Commits what the invoke led to; never rejects. After `again` the memo is renewed. */
  settle(reply: Reply): Promise<Settlement>;
}

/**
 * Claims runs. A run whose memo outgrew the limit while it was parked fails instead of being sent
 * (4.10).
 */
export async function claimPasses(
  ctx: EngineContext,
  claim: { dispatcherId: string; demands: readonly Demand[] },
): Promise<ClaimedPass[]> {
  const passes: ClaimedPass[] = [];
  for (const pass of await claimRuns(ctx, claim)) {
    if (!(await isRefused(ctx, pass))) passes.push(claimed(ctx, pass));
  }
  return passes;
}

/**
 * The pass of a run that was leased with its start; undefined where it could not be made, and was
 * handed back.
 */
export async function startPass(
  ctx: EngineContext,
  run: NewRun,
  lease: { dispatcherId: string; startedAt: Date },
): Promise<ClaimedPass | undefined> {
  try {
    return claimed(ctx, await startedPass(ctx, run, lease));
  } catch (error) {
    ctx.log.warn({ err: error, runId: run.runId }, 'a run that was leased with its start is handed back');
    await releaseRuns(ctx, lease.dispatcherId, [run.runId]);
    return undefined;
  }
}

/** Hands back what was not executed, or will not be executed here any more. Never rejects. */
export async function releasePasses(ctx: EngineContext, passes: readonly ClaimedPass[]): Promise<void> {
  // Passes of one dispatcher share its id, unless it had to take a new one meanwhile.
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
  settle: (reply) => {
    if (reply.kind === 'transport') logUnanswered(ctx.log, pass, reply);
    return settlePass(ctx, pass, reply);
  },
});

async function isRefused(ctx: EngineContext, pass: Pass): Promise<boolean> {
  try {
    return await refuseOversized(ctx, pass);
  } catch (error) {
    ctx.log.warn({ err: error, runId: pass.runId }, 'a run with too large a memo could not be failed');
    await releaseRuns(ctx, pass.dispatcherId, [pass.runId]);
    return true;
  }
}
