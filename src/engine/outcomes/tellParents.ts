import type { EngineContext } from '../context.ts';
import { noRetry, retryDelayMs } from '../registry/retry.ts';
import { announceSettled } from '../work/announceSettled.ts';
import { lockRuns } from '../work/sql/lockRuns.ts';
import { type StepSettlement, settleSteps } from '../work/sql/settleSteps.ts';
import type { OutcomeRow } from './sql/loadOutcomes.ts';

/**
 * Settles the steps that spawned finished children: with their results, or with their errors, which count as failed attempts
 * of the steps (2.4 `parentAttempt`). A parent of many of them wakes once. Idempotent: a step that is not parked any more is
 * left alone.
 */
export async function tellParents(ctx: EngineContext, outcomes: readonly OutcomeRow[]): Promise<void> {
  const settlements = (await Promise.all(outcomes.map((outcome) => settlementOf(ctx, outcome)))).flatMap(
    (each) => each ?? [],
  );
  if (settlements.length === 0) return;
  const rows = await ctx.db.transaction(async (tx) => {
    await lockRuns(tx, { runIds: [...new Set(settlements.map(({ runId }) => runId))] });
    return settleSteps(tx, { settlements, now: ctx.clock.sql() });
  });
  announceSettled(ctx, rows);
}

async function settlementOf(ctx: EngineContext, outcome: OutcomeRow): Promise<StepSettlement | undefined> {
  const { parent_run_id: runId, step_index: stepIndex, step_attempt: attempt, status, result } = outcome;
  if (runId === null || stepIndex === null || attempt === null) return undefined;
  const common = { runId, stepIndex, output: undefined, error: undefined, retryInMs: undefined };
  if (status === 'succeeded') return { ...common, status, output: result ?? 'null' };
  const error =
    outcome.error ?? JSON.stringify({ name: 'ChildCancelledError', message: 'the child run was cancelled' });
  return { ...common, status: 'failed', error, retryInMs: await retryOf(ctx, outcome, attempt) };
}

/** When the step is tried again; a child that somebody cancelled is not. */
async function retryOf(ctx: EngineContext, outcome: OutcomeRow, attempt: number): Promise<number | undefined> {
  if (outcome.status === 'cancelled') return undefined;
  const snapshot = await ctx.registry.snapshot(outcome.project_id);
  const retry = snapshot.workflow(outcome.parent_app ?? '', outcome.parent_workflow ?? '')?.retry ?? noRetry;
  return attempt < retry.maxAttempts ? retryDelayMs(retry, attempt) : undefined;
}
