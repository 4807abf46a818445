import type { EngineContext } from '../../../context.ts';
import { type Held, pauseSpending, resumePaused } from './holdRuns.ts';
import { type CheckedBudget, recordVerdicts } from './recordVerdicts.ts';
import { hasBudgets } from './sql/hasBudgets.ts';
import { takeBudgetLock } from './sql/takeBudgetLock.ts';

export interface BudgetCheck {
  /** Whether any budget exists. If so, the check must be repeated. */
  hasAny: boolean;
  paused: number;
  resumed: number;
  /** Whether more runs are to be paused or resumed now. */
  again: boolean;
}

/**
 * Checks all budgets once (2.2), in one process at a time. If a budget is spent, all unfinished
 * runs of its workflow are paused. This includes runs started or resumed since the last check. If
 * the budget is not spent, the runs that it paused are resumed. The verdict is stored first, and
 * any process may repeat the actions.
 */
export async function checkBudgets(ctx: EngineContext): Promise<BudgetCheck> {
  const check: BudgetCheck = { hasAny: true, paused: 0, resumed: 0, again: false };
  const [any] = await hasBudgets(ctx.db, undefined);
  if (!any?.has) return { ...check, hasAny: false };
  const budgets = await ctx.db.transaction(async (tx) => {
    const [lock] = await takeBudgetLock(tx, undefined);
    return lock?.isTaken ? recordVerdicts(ctx, tx) : [];
  });
  for (const budget of budgets) {
    if (!budget.isExceeded) continue;
    const { runs, hasMore } = await act(ctx, budget, pauseSpending);
    check.paused += runs;
    check.again ||= hasMore;
  }
  for (const budget of budgets) {
    if (budget.isExceeded || !budget.hasPaused) continue;
    const { runs, hasMore } = await act(ctx, budget, resumePaused);
    check.resumed += runs;
    check.again ||= hasMore;
  }
  return check;
}

/** An error in one workflow must not affect the others. */
async function act(
  ctx: EngineContext,
  { projectId, app, workflow }: CheckedBudget,
  how: (ctx: EngineContext, workflow: { projectId: string; app: string; workflow: string }) => Promise<Held>,
): Promise<Held> {
  try {
    return await how(ctx, { projectId, app, workflow });
  } catch (error) {
    ctx.log.warn(
      { error, projectId, app, workflow },
      'pausing or resuming the runs of a budget failed: retrying at the next check',
    );
    return { runs: 0, hasMore: false };
  }
}
