import type { EngineContext } from '../context.ts';
import { defaultRetry, retryDelayMs } from '../registry/index.ts';
import { lockRuns, type StepSettlement, settleWithin } from '../work/index.ts';
import { type CallerRow, findCallers } from './sql/findCallers.ts';
import type { OutcomeRow } from './sql/loadOutcomes.ts';

/**
 * Settles the steps that started ended children: with their results, or with their errors, which
 * count as failed attempts of the steps (2.4 `parentAttempt`). A parent of many of them wakes once.
 * Idempotent: steps that are not parked any more are skipped.
 */
export async function tellParents(ctx: EngineContext, outcomes: readonly OutcomeRow[]): Promise<void> {
  const settlements = await settlementsOf(ctx, outcomes);
  if (settlements.length === 0) return;
  await ctx.db.transaction(async (tx) => {
    await lockRuns(tx, { runIds: [...new Set(settlements.map(({ runId }) => runId))] });
    await settleWithin(ctx, tx, settlements);
  });
}

async function settlementsOf(ctx: EngineContext, outcomes: readonly OutcomeRow[]): Promise<StepSettlement[]> {
  const parentRunIds = [...new Set(outcomes.flatMap(({ parentRunId }) => parentRunId ?? []))];
  if (parentRunIds.length === 0) return [];
  const childRunIds = outcomes.map(({ runId }) => runId);
  const callers = await findCallers(ctx.db, { parentRunIds, childRunIds });
  const byChild = new Map(outcomes.map((outcome) => [outcome.runId, outcome]));
  const settlements = callers.map(async (caller) => {
    const outcome = byChild.get(caller.childRunId);
    return outcome ? [await settlementOf(ctx, outcome, caller)] : [];
  });
  return (await Promise.all(settlements)).flat();
}

const childCancelled = JSON.stringify({ name: 'ChildCancelledError', message: 'the child run was cancelled' });

async function settlementOf(ctx: EngineContext, outcome: OutcomeRow, caller: CallerRow): Promise<StepSettlement> {
  const { status, result } = outcome;
  const { runId, stepIndex, attempt } = caller;
  const none = { output: undefined, error: undefined, retryInMs: undefined, isDecision: false };
  const common = { runId, stepIndex, attempt, ...none };
  if (status === 'succeeded') return { ...common, status, output: result ?? 'null' };
  const error = status === 'cancelled' ? childCancelled : (outcome.error ?? childCancelled);
  return { ...common, status: 'failed', error, retryInMs: await retryOf(ctx, outcome, attempt) };
}

/**
 * The delay of the step's retry; undefined: it is not retried, as after the cancellation of a
 * child.
 */
async function retryOf(ctx: EngineContext, outcome: OutcomeRow, attempt: number): Promise<number | undefined> {
  if (outcome.status === 'cancelled') return undefined;
  const { projectId, parentApp, parentWorkflow } = outcome;
  const askedAtMs = performance.now();
  // An outdated copy must not fail a step for good.
  for (const sinceMs of [undefined, askedAtMs]) {
    const snapshot = await ctx.registry.snapshot(projectId, sinceMs);
    const retry = snapshot.workflow(parentApp ?? '', parentWorkflow ?? '')?.retry ?? defaultRetry;
    if (attempt < retry.maxAttempts) return retryDelayMs(retry, attempt);
  }
  return undefined;
}
