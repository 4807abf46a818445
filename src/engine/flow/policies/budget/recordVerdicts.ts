import type { EngineContext } from '../../../context.ts';
import type { Queryable, Transaction } from '../../../db/index.ts';
import { perEngine } from '../../../perEngine.ts';
import type { WorkflowRef } from '../../index.ts';
import { SpendWindows } from './spendWindows.ts';
import { forgetBudgets } from './sql/forgetBudgets.ts';
import { insertWarnings, type WarnedRow } from './sql/insertWarnings.ts';
import { type BudgetRow, listBudgets } from './sql/listBudgets.ts';
import { markBudgets } from './sql/markBudgets.ts';
import { type BudgetPolicy, judge, type Spend, type Verdict } from './verdict.ts';

/** The maximum number of journals per workflow that get a warning. */
const maxWarned = 100;

/** The cached spends of this process. */
export const spendWindowsOf = perEngine(() => new SpendWindows());

/**
 * Sums the spend of each budget, and stores changes: spent, no longer spent, and warnings. A
 * warning's journal lines commit with its verdict. The caller holds the budget lock. Verdicts are
 * written last, because transactions that hold the row of a run may wait to read one.
 */
export async function recordVerdicts(ctx: EngineContext, tx: Transaction): Promise<CheckedBudget[]> {
  const now = ctx.clock.sql();
  const rows = await listBudgets(tx, { now });
  const budgets = await judgeAll(ctx, tx, rows);
  const warned = await warn(ctx, tx, budgets.filter(isNewlyWarned));
  const changed = budgets.filter(hasChanged);
  if (changed.length > 0) await markBudgets(tx, { verdicts: changed, now });
  // `findSpent` locks the verdict for transactions that pause runs. If the previous verdict was not
  // spent, no transaction can be pausing runs.
  const gone = budgets.filter(({ policy, hasPaused, was }) => !policy && !hasPaused && !was.isExceeded);
  if (gone.length > 0) await forgetBudgets(tx, { workflows: gone });
  tx.afterCommit(() => {
    ctx.bus.emit('run.moved', { runs: warned });
    for (const budget of budgets) announceBudget(ctx, budget);
  });
  return budgets;
}

async function judgeAll(ctx: EngineContext, tx: Queryable, rows: readonly BudgetRow[]): Promise<CheckedBudget[]> {
  const budgets = rows.map((row): CheckedBudget => {
    const { projectId, app, workflow, policy, hasPaused } = row;
    return {
      projectId,
      app,
      workflow,
      policy: policy === null ? undefined : (JSON.parse(policy) as BudgetPolicy),
      spend: { tokens: 0, cost: undefined },
      was: { isWarned: row.isWarned, isExceeded: row.isExceeded },
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

const hasChanged = ({ isWarned, isExceeded, was }: CheckedBudget): boolean =>
  isWarned !== was.isWarned || isExceeded !== was.isExceeded;

async function warn(ctx: EngineContext, tx: Queryable, budgets: readonly CheckedBudget[]): Promise<WarnedRow[]> {
  if (budgets.length === 0) return [];
  const warnings = budgets.map((budget) => {
    const { projectId, app, workflow } = budget;
    return { projectId, app, workflow, message: warningOf(budget), fields: JSON.stringify(figuresOf(budget)) };
  });
  return insertWarnings(tx, { warnings, limit: maxWarned, now: ctx.clock.sql() });
}

/** A checked budget, with its previous verdict. */
export interface CheckedBudget extends WorkflowRef, Verdict {
  /** The policy; undefined if a registration removed it. */
  policy: BudgetPolicy | undefined;
  spend: Spend;
  was: Verdict;
  /** Whether it paused any run. */
  hasPaused: boolean;
}

const isNewlyWarned = ({ isWarned, was }: CheckedBudget): boolean => isWarned && !was.isWarned;

/** The figures for log lines and journals. */
const figuresOf = ({ policy, spend }: Pick<CheckedBudget, 'policy' | 'spend'>): object => ({ ...spend, ...policy });

/** Logs each change once. */
function announceBudget(ctx: EngineContext, budget: CheckedBudget): void {
  const { app, workflow, projectId, isExceeded, was } = budget;
  const about = { projectId, app, workflow, ...figuresOf(budget) };
  if (isNewlyWarned(budget)) ctx.log.warn(about, warningOf(budget));
  if (isExceeded && !was.isExceeded) ctx.log.warn(about, 'budget spent: pausing the runs of the workflow');
  if (!isExceeded && was.isExceeded) ctx.log.info(about, 'budget no longer spent: resuming the runs of the workflow');
}

const warningOf = ({ policy }: Pick<CheckedBudget, 'policy'>): string =>
  `${policy?.warnAtPct} % of the budget of the workflow is spent`;
