import type { EngineContext } from '../context.ts';
import { type BudgetPolicy, noSpend } from './budget.ts';
import { spendWindowsOf } from './judgeBudgets.ts';
import { countHeld } from './sql/countHeld.ts';

/** The present spend of a budget (4.9 `budgets`). */
export interface BudgetState {
  app: string;
  workflow: string;
  tokens: number;
  /** USD; undefined if no call in the window was priced. */
  cost: number | undefined;
  maxTokens: number | undefined;
  maxCost: number | undefined;
  windowMs: number;
  /** The number of runs that it paused. */
  paused: number;
}

const maxRows = 1000;

/** The budgets of a project, or of its workflows with this name, by app and name; at most 1000. */
export async function readBudgets(
  ctx: EngineContext,
  { projectId, workflow }: { projectId: string; workflow?: string | undefined },
): Promise<BudgetState[]> {
  const rows = await countHeld(ctx.db, { projectId, workflow, limit: maxRows, now: ctx.clock.sql() });
  const budgets = rows.map((row) => ({ ...row, policy: JSON.parse(row.policy) as BudgetPolicy }));
  const at = rows[0]?.now;
  if (!at) return [];
  const windows = budgets.map(({ app, workflow: name, policy: { windowMs } }) => ({
    ...{ projectId, app, workflow: name },
    windowMs,
  }));
  const spends = await spendWindowsOf(ctx).read(ctx.db, windows, at);
  return budgets.map(({ app, workflow: name, paused, policy: { maxTokens, maxCost, windowMs } }, position) => ({
    ...{ app, workflow: name, paused, maxTokens, maxCost, windowMs },
    ...(spends[position] ?? noSpend),
  }));
}
