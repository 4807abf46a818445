import type { EngineContext } from '../../../context.ts';
import type { Transaction } from '../../../db/index.ts';
import { lockRuns, pauseWithin, resumeWithin } from '../../../work/index.ts';
import type { WorkflowRef } from '../../index.ts';
import { findResumable } from './sql/findResumable.ts';
import { findSpending } from './sql/findSpending.ts';
import { findSpent } from './sql/findSpent.ts';

const pageSize = 500;
/** The limit per workflow and check, so that no workflow delays the others. */
const maxPages = 20;

/** The outcome for a workflow's runs. */
export interface Held {
  runs: number;
  /** Whether more runs are left for the next check. */
  hasMore: boolean;
}

/**
 * Pauses the runs of a workflow whose budget is spent: waiting runs at once, executing ones at the
 * end of their pass. Runs that are already paused stay unchanged.
 */
export const pauseSpending = (ctx: EngineContext, workflow: WorkflowRef): Promise<Held> =>
  inPages(async () => {
    const found = await findSpending(ctx.db, { ...workflow, limit: pageSize });
    const runIds = found.map((row) => row.runId);
    return { found: runIds.length, changed: runIds.length === 0 ? 0 : await pausePage(ctx, workflow, runIds) };
  });

function pausePage(ctx: EngineContext, spending: WorkflowRef, runIds: readonly string[]): Promise<number> {
  const { projectId } = spending;
  return ctx.db.transaction(async (tx) => {
    await lockRuns(tx, { runIds });
    const spent = await findSpent(tx, { workflows: [spending] });
    if (spent.length === 0) return 0;
    return (await pauseWithin(ctx, tx, { projectId, runIds, reason: 'budget', actor: null })).length;
  });
}

/**
 * Resumes the runs that a workflow's budget paused, if it is no longer spent. Runs that a person
 * paused stay paused. The reason is read under the lock of each run.
 */
export const resumePaused = (ctx: EngineContext, workflow: WorkflowRef): Promise<Held> =>
  inPages(async () => {
    const found = await findResumable(ctx.db, { ...workflow, limit: pageSize });
    const runIds = found.map((row) => row.runId);
    return { found: runIds.length, changed: runIds.length === 0 ? 0 : await resumePage(ctx, workflow, runIds) };
  });

function resumePage(ctx: EngineContext, { projectId }: WorkflowRef, runIds: readonly string[]): Promise<number> {
  return ctx.db.transaction(async (tx) => {
    await lockRuns(tx, { runIds });
    return (await resumeWithin(ctx, tx, { projectId, runIds, onlyReason: 'budget' })).length;
  });
}

/**
 * Processes page after page. Stops when no run is left, or when other processes hold all that are
 * left.
 */
async function inPages(page: () => Promise<{ found: number; changed: number }>): Promise<Held> {
  let runs = 0;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const { found, changed } = await page();
    runs += changed;
    if (found < pageSize || changed === 0) return { runs, hasMore: false };
  }
  return { runs, hasMore: true };
}

/** A new run of this transaction whose workflow has a budget. */
export type BudgetedStart = WorkflowRef & { runId: string };

/**
 * Pauses new runs of workflows whose budget is spent (2.2). Without this, a workflow of short runs
 * could spend without limit between two checks. The runs are resumed like all others.
 */
export async function holdStarts(ctx: EngineContext, tx: Transaction, starts: readonly BudgetedStart[]): Promise<void> {
  if (starts.length === 0) return;
  const spent = await findSpent(tx, { workflows: starts });
  const held = spent.flatMap(({ ord }) => starts[ord] ?? []);
  for (const projectId of new Set(held.map((each) => each.projectId))) {
    const runIds = held.flatMap((each) => (each.projectId === projectId ? [each.runId] : []));
    await pauseWithin(ctx, tx, { projectId, runIds, reason: 'budget', actor: null });
  }
}
