import type { EngineContext } from '../context.ts';
import type { BudgetPolicy } from './budget.ts';
import { spendWindowsOf } from './lookAtBudgets.ts';
import { countHeld } from './sql/countHeld.ts';

/** What is spent of a budget now (4.9 `budgets`). */
export interface BudgetState {
  app: string;
  workflow: string;
  tokens: number;
  /** USD; undefined where no call in the window was priced. */
  cost: number | undefined;
  maxTokens: number | undefined;
  maxCost: number | undefined;
  windowMs: number;
  /** How many runs it has paused. */
  paused: number;
}

const maxRows = 1000;

/** The budgets of a project, or of its workflows of one name, by app and name; at most 1000. */
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
    ...(spends[position] ?? { tokens: 0, cost: undefined }),
  }));
}
