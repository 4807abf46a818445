import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/index.ts';
import { perEngine } from '../perEngine.ts';
import { figuresOf, isNewlyWarned, type LookedAt, warningOf } from './announceBudget.ts';
import { type BudgetPolicy, judge, type Spend } from './budget.ts';
import { SpendWindows } from './spendWindows.ts';
import { forgetBudgets } from './sql/forgetBudgets.ts';
import { insertWarnings, type WarnedRow } from './sql/insertWarnings.ts';
import { type BudgetRow, listBudgets } from './sql/listBudgets.ts';
import { markBudgets } from './sql/markBudgets.ts';

/** Journals of a workflow that a warning goes to. */
const maxWarned = 100;

/** What this process remembers of spends. */
export const spendWindowsOf = perEngine(() => new SpendWindows());

/** What a look has found, to be announced once it is committed. */
export interface Look {
  budgets: LookedAt[];
  /** Runs whose journals have a warning more. */
  warned: WarnedRow[];
}

/**
 * Adds up what is spent of every budget and keeps what is new about it: that a budget is spent, or has room again, and the
 * warnings, each with its lines in the journals of the runs, which stand and fall with it. The caller holds the lock. Verdicts are written
 * last: who holds the queue row of a run may be waiting to read one.
 */
export async function lookAtBudgets(ctx: EngineContext, tx: Queryable): Promise<Look> {
  const now = ctx.clock.sql();
  const rows = await listBudgets(tx, { now });
  const budgets = await judgeAll(ctx, tx, rows);
  const warned = await warn(ctx, tx, budgets.filter(isNewlyWarned));
  const changed = budgets.filter(hasChanged);
  if (changed.length > 0) await markBudgets(tx, { verdicts: changed, now });
  // Whoever pauses runs for a budget has seen it spent until he was done: what the look before found to have room, nobody pauses for.
  const gone = budgets.filter(({ policy, hasPaused, was }) => !policy && !hasPaused && !was.isExceeded);
  if (gone.length > 0) await forgetBudgets(tx, { workflows: gone });
  return { budgets, warned };
}

async function judgeAll(ctx: EngineContext, tx: Queryable, rows: readonly BudgetRow[]): Promise<LookedAt[]> {
  const budgets = rows.map((row): LookedAt => {
    const { project_id: projectId, app, workflow, policy, has_paused: hasPaused } = row;
    return {
      projectId,
      app,
      workflow,
      policy: policy === null ? undefined : (JSON.parse(policy) as BudgetPolicy),
      spend: { tokens: 0, cost: undefined },
      was: { isWarned: row.is_warned, isExceeded: row.is_exceeded },
      ...{ isWarned: false, isExceeded: false, hasPaused },
    };
  });
  const inForce = budgets.flatMap((budget) => (budget.policy ? [{ budget, policy: budget.policy }] : []));
  const at = rows[0]?.now;
  if (!at) return budgets;
  const spends = await spendWindowsOf(ctx).read(
    tx,
    inForce.map(({ budget: { projectId, app, workflow }, policy: { windowMs } }) => ({
      ...{ projectId, app, workflow },
      windowMs,
    })),
    at,
  );
  inForce.forEach(({ budget, policy }, position) => {
    const spend: Spend = spends[position] ?? budget.spend;
    Object.assign(budget, judge(policy, spend), { spend });
  });
  return budgets;
}

const hasChanged = ({ isWarned, isExceeded, was }: LookedAt): boolean =>
  isWarned !== was.isWarned || isExceeded !== was.isExceeded;

async function warn(ctx: EngineContext, tx: Queryable, budgets: readonly LookedAt[]): Promise<WarnedRow[]> {
  if (budgets.length === 0) return [];
  const warnings = budgets.map((budget) => {
    const { projectId, app, workflow } = budget;
    return { projectId, app, workflow, message: warningOf(budget), fields: JSON.stringify(figuresOf(budget)) };
  });
  return insertWarnings(tx, { warnings, limit: maxWarned, now: ctx.clock.sql() });
}
