import { setTimeout as delay } from 'node:timers/promises';
import { withCalls } from '../ai/index.ts';
import { handlesFailure } from '../consequences/index.ts';
import type { EngineContext } from '../context.ts';
import { backoffMs, isTransient, retryTransient } from '../db/index.ts';
import { HoldfastError } from '../errors.ts';
import type { Definition } from '../model/index.ts';
import { defaultRetry } from '../registry/index.ts';
import { type PassOutcome, processTally } from '../tally/index.ts';
import { held, releaseRuns, suspectLeases } from '../work/index.ts';
import { checkGuards, mayHoldGuards } from './checkGuards.ts';
import type { CommitOutcome, Committed, PassCommit, Registered, RunAfter, StepRow } from './commit.ts';
import { commitCalls, makesCallsOnly } from './commitCalls.ts';
import { commitPass } from './commitPass.ts';
import { commitWithSideEffects } from './commitWithSideEffects.ts';
import { reportedBy } from './continueText.ts';
import { type Decision, decide, failedFor } from './decide.ts';
import { endOverdueSteps } from './endOverdue.ts';
import { currentCap } from './loadCaps.ts';
import { readMemos } from './loadMemo.ts';
import { Memo, type StepState } from './memo.ts';
import type { Pass, Reply } from './pass.ts';

/** `again`: invoke the same pass once more. `released`: this process has lost or ended the run. */
export type Settlement = 'again' | 'released';

/**
 * Commits the reply to an invoke, and answers how to continue (4.10).
 *
 * Invariants:
 * S1. When this resolves, the results are committed, or never will be because the lease is lost.
 * S2. This never rejects. A run whose answer cannot be stored fails. A run without an answer, or
 *     during an outage of the database, is released. So is one whose guards found no turn in time.
 * S3. The memo of `again` contains every change of the run that happened meanwhile.
 */
export async function settlePass(ctx: EngineContext, pass: Pass, reply: Reply): Promise<Settlement> {
  try {
    return await settleTurn(ctx, pass, reply);
  } catch (error) {
    ctx.log.error({ error, runId: pass.runId }, 'storing an answer failed');
    // S2
    return isTransient(error) || isBusy(error) || reply.kind === 'transport'
      ? release(ctx, pass)
      : failOrRelease(ctx, pass);
  }
}

const isBusy = (error: unknown): boolean => error instanceof HoldfastError && error.kind === 'busy';

/** About a minute of delays. */
const maxBusyTries = 32;

/** Guards of events may take all turns of a project. An answer is refused before it is written. */
async function settleTurn(ctx: EngineContext, pass: Pass, reply: Reply): Promise<Settlement> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await settle(ctx, pass, reply);
    } catch (error) {
      if (!isBusy(error) || tries === maxBusyTries) throw error;
      await delay(backoffMs(tries));
    }
  }
}

async function settle(ctx: EngineContext, pass: Pass, reply: Reply): Promise<Settlement> {
  const askedAtMs = performance.now();
  pass.reported = undefined;
  let { decision, version } = await decideBy(ctx, pass, reply);
  // A permanent failure writes nothing that would reveal an outdated copy. So the copy is renewed.
  if (isFinal(decision)) ({ decision, version } = await decideBy(ctx, pass, reply, askedAtMs));
  const { outcome, steps } = await write(ctx, decision);
  if (reply.over) processTally(ctx).passes[reply.over][passOutcome(decision.commit, outcome)] += 1;
  if (outcome.kind === 'lost') processTally(ctx).leasesLost.commit += 1;
  if (outcome.kind !== 'kept') {
    held(ctx).delete(pass.runId);
    // S1. Nearly always another process has the run, or it has ended. But a former try may have
    // been committed, or the database may have lost a commit.
    if (outcome.kind === 'lost') suspectLeases(ctx);
    return 'released';
  }
  await advance(ctx, decision, { ...outcome, steps });
  const isSameVersion = pass.version === undefined || pass.version === version;
  pass.version = version;
  if (isSameVersion && continues(reply, decision.commit)) pass.reported = reportedBy(steps);
  if (pass.memo.isOverdue(pass.dbNow)) await endOverdueSteps(ctx, [pass]);
  return isOversized(ctx, pass) && (await refuseOversized(ctx, pass)) ? 'released' : 'again';
}

/** Whether the runner holds a handler that has only to learn of the memo. */
const continues = (reply: Reply, { next, repeats }: PassCommit): boolean =>
  reply.kind === 'answer' && reply.isHeld === true && reply.status === 206 && next.kind !== 'retry' && repeats === 0;

function passOutcome({ next }: PassCommit, { kind }: CommitOutcome): PassOutcome {
  if (kind === 'lost') return kind;
  if (next.kind === 'finish') return next.status;
  if (next.kind === 'retry') return next.because.kind === 'transport' ? 'unanswered' : 'retried';
  // Side effects may let a run continue that would have parked.
  return kind === 'kept' ? 'continued' : 'parked';
}

/** A decision, and the version of the definition by which it was made. */
interface Judged {
  decision: Decision;
  version: string | undefined;
}

/** Reads the definition in force, so that changed policies apply to executing runs, too. */
async function decideBy(ctx: EngineContext, pass: Pass, reply: Reply, sinceMs?: number): Promise<Judged> {
  const { definition, registered } = await retryTransient(() => registeredFor(ctx, pass, sinceMs));
  if (mayHoldGuards(reply)) await checkGuards(ctx, pass, reply);
  const cap = definition?.flowControl?.cap;
  const decision = decide(pass, reply, {
    settings: ctx.settings,
    retry: definition?.retry ?? defaultRetry,
    registered,
    ai: cap && (await retryTransient(() => currentCap(ctx, pass, cap))),
  });
  return { decision, version: definition?.version };
}

const isFinal = ({ commit: { next, steps } }: Decision): boolean =>
  (next.kind === 'finish' && next.status === 'failed') ||
  steps.some((step) => step.status === 'failed' && !step.willRetry);

async function write(ctx: EngineContext, decision: Decision): Promise<Committed> {
  const { commit, sideEffects, calls } = decision;
  if (makesCallsOnly(decision)) return commitCalls(ctx, decision);
  if (sideEffects.length > 0 || calls.length > 0) return commitWithSideEffects(ctx, decision);
  return { steps: commit.steps, outcome: await commitPass(ctx, commit) };
}

interface InForce {
  definition: Definition | undefined;
  registered: Registered;
}

async function registeredFor(ctx: EngineContext, pass: Pass, sinceMs?: number): Promise<InForce> {
  const snapshot = await ctx.registry.snapshot(pass.projectId, sinceMs);
  const definition = snapshot.workflow(pass.app, pass.workflow);
  const hasOnFailure = handlesFailure(definition, pass.input.onFailure !== undefined);
  return { definition, registered: { hasOnFailure, hasEndpoints: snapshot.hasEndpoints } };
}

/** Advances a pass to its commit. The memo is read again if the run was changed meanwhile (S3). */
async function advance(
  ctx: EngineContext,
  { commit, ai, calls }: Decision,
  { steps, wakes, now, delaysFrom }: Pick<Committed, 'steps'> & { wakes: number; now: Date; delaysFrom: Date },
): Promise<void> {
  const { pass } = commit;
  const usages = calls.map((call) => call.usage);
  pass.ai = ai && { ...ai, spend: withCalls(ai.spend, usages) };
  pass.claimNo += 1;
  pass.attempt = commit.attempt;
  pass.unanswered = commit.unanswered;
  pass.repeats = commit.repeats;
  pass.dbNow = now;
  if (wakes === pass.wakes) {
    for (const step of byIndex(steps)) pass.memo.put(stateAfter(step, delaysFrom));
  } else {
    pass.wakes = wakes;
    pass.memo = (await readMemos(ctx.db, [pass.runId])).get(pass.runId) ?? new Memo();
  }
  pass.started.advance(pass.memo);
}

/** Only what the memo needs: a run may hold thousands of steps. */
const stateAfter = (step: StepRow, delaysFrom: Date): StepState => ({
  stepId: step.stepId,
  index: step.index,
  attempt: step.attempt,
  name: step.name,
  op: step.op,
  status: step.status,
  output: step.output,
  error: step.error,
  willRetry: step.willRetry,
  runAfter: instant(step.runAfter, delaysFrom),
});

/** Steps of one commit end at one instant. So the memo holds them by index, as `loadMemos` does. */
const byIndex = (steps: readonly StepRow[]): readonly StepRow[] =>
  steps.length > 1 ? [...steps].sort((one, other) => one.index - other.index) : steps;

function instant(runAfter: RunAfter | undefined, from: Date): Date | undefined {
  if (!runAfter) return undefined;
  return 'at' in runAfter ? runAfter.at : new Date(from.getTime() + runAfter.inMs);
}

/** Fails a run for a reason of the service. */
async function fail(ctx: EngineContext, pass: Pass, message: string): Promise<Settlement> {
  const { registered } = await registeredFor(ctx, pass, performance.now());
  await commitPass(ctx, failedFor(pass, message, registered));
  held(ctx).delete(pass.runId);
  return 'released';
}

async function failOrRelease(ctx: EngineContext, pass: Pass): Promise<Settlement> {
  try {
    return await fail(ctx, pass, 'the answer of the runner could not be stored');
  } catch {
    return release(ctx, pass);
  }
}

/** The next claim reads the run as stored. Only committed results count. */
async function release(ctx: EngineContext, pass: Pass): Promise<Settlement> {
  await releaseRuns(ctx, pass.dispatcherId, [pass.runId]);
  return 'released';
}

const isOversized = ({ settings }: EngineContext, { memo }: Pass): boolean => memo.bytes > settings.limits.memoMaxBytes;

/** Fails a run whose memo is too large to be sent. Answers whether it was. */
export async function refuseOversized(ctx: EngineContext, pass: Pass): Promise<boolean> {
  if (!isOversized(ctx, pass)) return false;
  const { memoMaxBytes } = ctx.settings.limits;
  await fail(ctx, pass, `the results of this run's steps exceed ${memoMaxBytes} bytes (MEMO_MAX_BYTES)`);
  return true;
}
