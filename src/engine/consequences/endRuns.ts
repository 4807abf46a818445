import type { EngineContext } from '../context.ts';
import type { Transaction } from '../db/index.ts';
import { openGatesSoon } from '../flow/policies/concurrency/index.ts';
import { tallyOfWorkflow } from '../tally/index.ts';
import { lockRuns } from '../work/index.ts';
import { type FinishedRow, finishRuns } from './sql/finishRuns.ts';

type EndRuns = Omit<Parameters<typeof finishRuns>[1], 'now' | 'onlyOverrun' | 'onlyExpired'> & {
  onlyOverrun?: boolean;
  onlyExpired?: boolean;
  reason: string;
};

/**
 * Ends unfinished runs from outside a pass, and announces that to streams and dispatchers. Answers
 * the runs that this call ended. Waits for commits of these runs that are in progress.
 */
export const endRuns = (ctx: EngineContext, ending: EndRuns): Promise<FinishedRow[]> =>
  ctx.db.transaction((tx) => endRunsWithin(ctx, tx, ending));

/** The same inside a transaction of the caller's. */
export async function endRunsWithin(
  ctx: EngineContext,
  tx: Transaction,
  { reason, onlyOverrun = false, onlyExpired = false, ...ending }: EndRuns,
): Promise<FinishedRow[]> {
  await lockRuns(tx, { runIds: ending.ends.map((each) => each.runId) });
  const rows = await finishRuns(tx, { ...ending, onlyOverrun, onlyExpired, now: ctx.clock.sql() });
  tx.afterCommit(() => {
    for (const row of rows) count(ctx, row, ending.status);
    announceEnded(ctx, rows, reason);
  });
  return rows;
}

function count(ctx: EngineContext, row: FinishedRow, status: EndRuns['status']): void {
  const tally = tallyOfWorkflow(ctx, row);
  tally.ended[status] += 1;
  if (row.durationMs !== null) tally.duration.observe(row.durationMs / 1000);
}

/** Announces the ended runs, and the reason, to streams and dispatchers. */
function announceEnded(ctx: EngineContext, rows: readonly FinishedRow[], reason: string): void {
  ctx.bus.emit('run.moved', { runs: rows });
  for (const { projectId, runId, wasLeased, withdrawn } of rows) {
    for (const approvalId of withdrawn ?? []) ctx.bus.emit('approval.changed', { projectId, approvalId });
    if (wasLeased) ctx.bus.emit('run.cancelled', { runId, reason });
  }
  openGatesSoon(ctx, {
    slots: rows.flatMap((row) => row.freedSlot ?? []),
    projectIds: [...new Set(rows.flatMap((row) => (row.wasLeased ? row.projectId : [])))],
  });
}
