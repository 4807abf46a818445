import { withCalls } from '../ai/index.ts';
import type { EngineContext } from '../context.ts';
import { isTransient, retryTransient } from '../db/index.ts';
import type { Definition } from '../model/index.ts';
import { handlesFailure } from '../outcomes/index.ts';
import { defaultRetry } from '../registry/index.ts';
import { held, releaseRuns, suspectLeases } from '../work/index.ts';
import type { CommitOutcome, RunAfter, StepRow } from './commit.ts';
import { commitPass } from './commitPass.ts';
import { commitWithDeeds } from './commitWithDeeds.ts';
import { type Decision, decide } from './decide.ts';
import { endOverdueSteps } from './endOverdue.ts';
import { currentCap } from './loadCaps.ts';
import { readMemos } from './loadMemo.ts';
import { Memo } from './memo.ts';
import type { Pass, Reply } from './pass.ts';

/** `again`: invoke once more, with the same pass. `released`: the run is no longer ours. */
export type Settlement = 'again' | 'released';

/**
 * Writes what an invoke came to, durably, and says what is next (4.10). Invariants:
 * 1. When it resolves, the answer's results are committed, or will never be (the lease was lost).
 * 2. It never rejects. A run whose answer cannot be stored fails; where there was none, or while
 *    the database is away, it is handed back instead.
 * 3. Nothing that happened to the run meanwhile is lost: the memo of `again` holds it.
 */
export async function settlePass(ctx: EngineContext, pass: Pass, reply: Reply): Promise<Settlement> {
  try {
    return await settle(ctx, pass, reply);
  } catch (error) {
    ctx.log.error({ error, runId: pass.runId }, 'an answer could not be stored');
    return isTransient(error) || reply.kind === 'transport' ? handBack(ctx, pass) : failOrHandBack(ctx, pass);
  }
}

async function settle(ctx: EngineContext, pass: Pass, reply: Reply): Promise<Settlement> {
  const askedAtMs = performance.now();
  let decision = await decideBy(ctx, pass, reply);
  // Nothing is written that would tell that a copy is old: before a run or a step of it fails for
  // good, it is read afresh.
  if (isFinal(decision)) decision = await decideBy(ctx, pass, reply, askedAtMs);
  const outcome = await write(ctx, decision);
  if (outcome.kind !== 'kept') {
    held(ctx).delete(pass.runId);
    // Nearly always another has the run, or it is over. But a former try may have got through, or
    // the database have lost a commit of ours.
    if (outcome.kind === 'lost') suspectLeases(ctx);
    return 'released';
  }
  await advance(ctx, decision, outcome);
  await endOverdueSteps(ctx, [pass]);
  return (await refuseOversized(ctx, pass)) ? 'released' : 'again';
}

/** By the definition in force: a change of its policies reaches runs that are under way. */
async function decideBy(ctx: EngineContext, pass: Pass, reply: Reply, sinceMs?: number): Promise<Decision> {
  const definition = await retryTransient(() => definitionOf(ctx, pass, sinceMs));
  pass.hasOnFailure = handlesFailure(definition, pass.input.onFailure !== undefined);
  pass.ai = await retryTransient(() => currentCap(ctx, pass, definition?.flowControl?.cap));
  return decide(pass, reply, { settings: ctx.settings, retry: definition?.retry ?? defaultRetry });
}

const isFinal = ({ commit: { next, steps } }: Decision): boolean =>
  (next.kind === 'finish' && next.status === 'failed') ||
  steps.some((step) => step.status === 'failed' && !step.willRetry);

const write = (ctx: EngineContext, decision: Decision): Promise<CommitOutcome> =>
  decision.deeds.length === 0 && decision.calls.length === 0
    ? commitPass(ctx, decision.commit)
    : commitWithDeeds(ctx, decision);

async function definitionOf(
  ctx: EngineContext,
  pass: Pass,
  sinceMs: number | undefined,
): Promise<Definition | undefined> {
  return (await ctx.registry.snapshot(pass.projectId, sinceMs)).workflow(pass.app, pass.workflow);
}

/**
 * Advances the pass to what was committed; reads the memo afresh where others have written to it.
 */
async function advance(
  ctx: EngineContext,
  { commit, calls }: Decision,
  outcome: { wakes: number; now: Date },
): Promise<void> {
  const { pass, steps } = commit;
  if (pass.ai)
    pass.ai = {
      ...pass.ai,
      spend: withCalls(
        pass.ai.spend,
        calls.map((call) => call.usage),
      ),
    };
  pass.claimNo += 1;
  pass.attempt = commit.attempt;
  pass.transportFailures = commit.transportFailures;
  pass.dbNow = outcome.now;
  if (outcome.wakes === pass.wakes) {
    for (const step of byIndex(steps)) pass.memo.put({ ...step, runAfter: instant(step.runAfter, outcome.now) });
    return;
  }
  pass.wakes = outcome.wakes;
  pass.memo = (await readMemos(ctx.db, [pass.runId])).get(pass.runId) ?? new Memo();
}

/**
 * Steps of one commit end at one instant: `loadMemos` names them by index, and so must a memo that
 * is carried along.
 */
const byIndex = (steps: readonly StepRow[]): StepRow[] => [...steps].sort((one, other) => one.index - other.index);

function instant(runAfter: RunAfter | undefined, now: Date): Date | undefined {
  if (!runAfter) return undefined;
  return 'at' in runAfter ? runAfter.at : new Date(now.getTime() + runAfter.inMs);
}

/** Ends a run that cannot go on for a reason of ours. */
async function fail(ctx: EngineContext, pass: Pass, message: string): Promise<Settlement> {
  const error = JSON.stringify({ message });
  pass.hasOnFailure = handlesFailure(
    await definitionOf(ctx, pass, performance.now()),
    pass.input.onFailure !== undefined,
  );
  await commitPass(ctx, {
    pass,
    next: { kind: 'finish', status: 'failed', result: undefined, error },
    steps: [],
    waits: [],
    logs: [],
    attempt: pass.attempt,
    transportFailures: 0,
  });
  held(ctx).delete(pass.runId);
  return 'released';
}

async function failOrHandBack(ctx: EngineContext, pass: Pass): Promise<Settlement> {
  try {
    return await fail(ctx, pass, 'the answer of the runner could not be stored');
  } catch {
    return handBack(ctx, pass);
  }
}

/**
 * Whoever claims the run next reads it as it is stored: what was committed of the answer counts,
 * the rest runs again.
 */
async function handBack(ctx: EngineContext, pass: Pass): Promise<Settlement> {
  await releaseRuns(ctx, pass.dispatcherId, [pass.runId]);
  return 'released';
}

/** Fails a run whose memo is too large to be sent. Answers whether it is. */
export async function refuseOversized(ctx: EngineContext, pass: Pass): Promise<boolean> {
  const { memoMaxBytes } = ctx.settings.limits;
  if (pass.memo.bytes <= memoMaxBytes) return false;
  await fail(ctx, pass, `the results of this run's steps exceed ${memoMaxBytes} bytes (MEMO_MAX_BYTES)`);
  return true;
}
