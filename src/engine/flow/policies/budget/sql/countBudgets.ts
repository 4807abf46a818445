import { statement } from '../../../../db/index.ts';

interface BudgetFigures {
  /** Workflows of all projects that spent more than the share of their budget that warns. */
  warned: number;
  /** Workflows whose budget is spent. */
  exceeded: number;
  /** Runs that budgets have paused. */
  pausedRuns: number;
}

/** Counts for operators. Reads the verdicts of budgets and the runs that they hold, no spend. */
export const countBudgets = statement<BudgetFigures>('countBudgets').reads({
  text: `
    select count(warned_at) as warned, count(exceeded_at) as exceeded,
      (select count(*) from run where paused_reason = 'budget') as paused_runs
    from flow_budget
  `,
});
