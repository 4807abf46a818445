import type { EngineContext } from '../context.ts';
import type { Transaction } from '../db/index.ts';
import { announcePaused, lockRuns, pauseRuns, resumeRuns, wakeIfDue } from '../work/index.ts';
import type { WorkflowRef } from './budget.ts';
import { findSpared } from './sql/findSpared.ts';
import { findSpending } from './sql/findSpending.ts';
import { findSpent } from './sql/findSpent.ts';

const pageSize = 500;
/** Of one workflow in one turn, so that none keeps the others waiting. */
const maxPages = 20;

/** What came of a workflow's runs. */
export interface Held {
  runs: number;
  /** There are more, for the next turn. */
  hasMore: boolean;
}

/**
 * Pauses the runs of a workflow whose budget is spent: what nobody executes at once, what is in flight at the end of its pass.
 * Whoever is paused already stays as he is.
 */
export const pauseSpending = (ctx: EngineContext, workflow: WorkflowRef): Promise<Held> =>
  inPages(async () => {
    const found = await findSpending(ctx.db, { ...workflow, limit: pageSize });
    const runIds = found.map((row) => row.runId);
    return { found: runIds.length, changed: runIds.length === 0 ? 0 : await pausePage(ctx, workflow, runIds) };
  });

async function pausePage(ctx: EngineContext, spending: WorkflowRef, runIds: readonly string[]): Promise<number> {
  const { projectId } = spending;
  const paused = await ctx.db.transaction(async (tx) => {
    await lockRuns(tx, { runIds });
    const spent = await findSpent(tx, { workflows: [spending] });
    if (spent.length === 0) return [];
    return pauseRuns(tx, { projectId, runIds, reason: 'budget', actor: null, now: ctx.clock.sql() });
  });
  announcePaused(ctx, paused);
  return paused.length;
}

/**
 * Lets the runs go on that the budget of a workflow has paused, once it is not spent any more. Those that a person has paused, or
 * paused again, stay: their rows say so, under their locks.
 */
export const resumeSpared = (ctx: EngineContext, workflow: WorkflowRef): Promise<Held> =>
  inPages(async () => {
    const found = await findSpared(ctx.db, { ...workflow, limit: pageSize });
    const runIds = found.map((row) => row.runId);
    return { found: runIds.length, changed: runIds.length === 0 ? 0 : await resumePage(ctx, workflow, runIds) };
  });

async function resumePage(ctx: EngineContext, { projectId }: WorkflowRef, runIds: readonly string[]): Promise<number> {
  const { resumed, woken } = await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.sql();
    await lockRuns(tx, { runIds });
    const resumed = await resumeRuns(tx, { projectId, runIds, onlyReason: 'budget', now });
    const resumedIds = resumed.map((row) => row.runId);
    return { resumed, woken: resumed.length === 0 ? [] : await wakeIfDue(tx, { runIds: resumedIds, now }) };
  });
  ctx.bus.emit('run.moved', { runs: resumed });
  for (const { dueInMs } of resumed) {
    if (dueInMs !== null) ctx.bus.emit('work.due', { inMs: Math.max(0, dueInMs) });
  }
  const ready = [...resumed.filter((row) => row.isReady), ...woken];
  const laneIds = [...new Set(ready.map((row) => row.laneId))];
  if (laneIds.length > 0) ctx.bus.emit('work.ready', { laneIds });
  return resumed.length;
}

/** Page by page until there is nothing more, or nothing that can be changed: others are about to. */
async function inPages(page: () => Promise<{ found: number; changed: number }>): Promise<Held> {
  let runs = 0;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const { found, changed } = await page();
    runs += changed;
    if (found < pageSize || changed === 0) return { runs, hasMore: false };
  }
  return { runs, hasMore: true };
}

/** A run that the caller has made in this transaction, of a workflow with a budget. */
export type BudgetedStart = WorkflowRef & { runId: string };

/**
 * Has runs begin paused whose workflow has nothing left to spend (2.2): else a workflow of short runs would go on spending between
 * two looks, whatever its budget. They go on as all do that a budget has paused.
 */
export async function holdStarts(ctx: EngineContext, tx: Transaction, starts: readonly BudgetedStart[]): Promise<void> {
  if (starts.length === 0) return;
  const spent = await findSpent(tx, { workflows: starts });
  const held = spent.flatMap(({ ord }) => starts[ord] ?? []);
  for (const projectId of new Set(held.map((each) => each.projectId))) {
    const runIds = held.flatMap((each) => (each.projectId === projectId ? [each.runId] : []));
    await pauseRuns(tx, { projectId, runIds, reason: 'budget', actor: null, now: ctx.clock.sql() });
  }
  tx.afterCommit(() => ctx.bus.emit('run.moved', { runs: held }));
}
