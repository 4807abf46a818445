import type { EngineContext } from '../../../context.ts';
import { type Held, pauseSpending, resumeSpared } from './holdRuns.ts';
import { type LookedAt, lookAtBudgets } from './lookAtBudgets.ts';
import { hasBudgets } from './sql/hasBudgets.ts';
import { takeBudgetLock } from './sql/takeBudgetLock.ts';

export interface BudgetCheck {
  /** Whether there is any budget: then they are to be looked at again, after an interval. */
  hasAny: boolean;
  paused: number;
  resumed: number;
  /** More runs are to be paused or resumed at once. */
  again: boolean;
}

/**
 * One look at all budgets (2.2). Of several processes that look at the same time one does. Where a
 * budget is spent, every unfinished run of its workflow is paused that is not, also those that were
 * started or resumed since the last look; where it has room, those go on that it had paused. What
 * is decided is kept; acting on it may be repeated, by anyone.
 */
export async function checkBudgets(ctx: EngineContext): Promise<BudgetCheck> {
  const check: BudgetCheck = { hasAny: true, paused: 0, resumed: 0, again: false };
  const [any] = await hasBudgets(ctx.db, undefined);
  if (!any?.has) return { ...check, hasAny: false };
  const budgets = await ctx.db.transaction(async (tx) => {
    const [lock] = await takeBudgetLock(tx, undefined);
    return lock?.isTaken ? lookAtBudgets(ctx, tx) : [];
  });
  for (const budget of budgets) {
    if (!budget.isExceeded) continue;
    const { runs, hasMore } = await act(ctx, budget, pauseSpending);
    check.paused += runs;
    check.again ||= hasMore;
  }
  for (const budget of budgets) {
    if (budget.isExceeded || !budget.hasPaused) continue;
    const { runs, hasMore } = await act(ctx, budget, resumeSpared);
    check.resumed += runs;
    check.again ||= hasMore;
  }
  return check;
}

/** One workflow's trouble is not another's. */
async function act(
  ctx: EngineContext,
  { projectId, app, workflow }: LookedAt,
  how: (ctx: EngineContext, workflow: { projectId: string; app: string; workflow: string }) => Promise<Held>,
): Promise<Held> {
  try {
    return await how(ctx, { projectId, app, workflow });
  } catch (error) {
    ctx.log.warn({ error, projectId, app, workflow }, 'the runs of a budget are held or let go at the next look');
    return { runs: 0, hasMore: false };
  }
}
