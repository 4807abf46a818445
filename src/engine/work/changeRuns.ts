/*
 * Changes runs from outside of a pass, in a transaction whose caller has locked them (`lockRuns`).
 * Each function announces the change in this process after the commit.
 */
import type { EngineContext } from '../context.ts';
import type { Statement, Transaction } from '../db/index.ts';
import { type PausedRow, pauseRuns } from './sql/pauseRuns.ts';
import { type ResumedRow, resumeRuns } from './sql/resumeRuns.ts';
import { type SettledRow, type StepSettlement, settleSteps } from './sql/settleSteps.ts';
import { wakeIfDue } from './sql/wakeIfDue.ts';

type GivenTo<S> = S extends Statement<infer Given, unknown> ? Omit<Given, 'now'> : never;

/** Pauses runs, and announces that to their dispatchers. */
export async function pauseWithin(
  ctx: EngineContext,
  tx: Transaction,
  pause: GivenTo<typeof pauseRuns>,
): Promise<PausedRow[]> {
  const paused = await pauseRuns(tx, { ...pause, now: ctx.clock.sql() });
  tx.afterCommit(() => {
    ctx.bus.emit('run.moved', { runs: paused });
    for (const { runId, wasLeased } of paused) if (wasLeased) ctx.bus.emit('run.pausing', { runId });
  });
  return paused;
}

/** Resumes paused runs, and wakes the runs that are due. */
export async function resumeWithin(
  ctx: EngineContext,
  tx: Transaction,
  resume: GivenTo<typeof resumeRuns>,
): Promise<ResumedRow[]> {
  const now = ctx.clock.sql();
  const resumed = await resumeRuns(tx, { ...resume, now });
  const runIds = resumed.map((row) => row.runId);
  const woken = resumed.length === 0 ? [] : await wakeIfDue(tx, { runIds, now });
  tx.afterCommit(() => {
    ctx.bus.emit('run.moved', { runs: resumed });
    tellReady(ctx, [...resumed.filter((row) => row.isReady), ...woken]);
    if (resumed.length > 0) ctx.bus.emit('inference.due', {});
    // Also for a run that backs off although its sleep has ended.
    tellDue(ctx, resumed);
  });
  return resumed;
}

/** Settles parked steps; their runs become ready, or are due later. */
export async function settleWithin(
  ctx: EngineContext,
  tx: Transaction,
  settlements: readonly StepSettlement[],
): Promise<SettledRow[]> {
  if (settlements.length === 0) return [];
  const rows = await settleSteps(tx, { settlements, now: ctx.clock.sql() });
  tx.afterCommit(() => announceSettled(ctx, rows));
  return rows;
}

/** Announces runs with settled steps, after the commit. */
export function announceSettled(ctx: EngineContext, rows: readonly SettledRow[]): void {
  tellDue(
    ctx,
    rows.filter((row) => !row.becameReady),
  );
  ctx.bus.emit('run.moved', { runs: rows, goesOn: true });
  tellReady(
    ctx,
    rows.filter((row) => row.becameReady),
  );
}

function tellReady(ctx: EngineContext, rows: readonly { laneId: number }[]): void {
  const laneIds = [...new Set(rows.map((row) => row.laneId))];
  if (laneIds.length > 0) ctx.bus.emit('work.ready', { laneIds });
}

function tellDue(ctx: EngineContext, rows: readonly { dueInMs: number | null }[]): void {
  for (const { dueInMs } of rows) if (dueInMs !== null) ctx.bus.emit('work.due', { inMs: Math.max(0, dueInMs) });
}
