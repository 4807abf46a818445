import { statement } from '../../../../db/index.ts';

export interface BudgetFigures {
  /** Workflows of all projects whose spend reached `warnAtPct`. */
  warned: number;
  /** Workflows whose budget is spent. */
  exceeded: number;
  /** Runs that budgets paused. */
  pausedRuns: number;
}

/** Counts for operators. Reads verdicts and paused runs, but no spend. */
export const countBudgets = statement<BudgetFigures>('countBudgets').reads({
  text: `
    select count(warned_at) as warned, count(exceeded_at) as exceeded,
      (select count(*) from (
        select from run where paused_reason = 'budget' order by project_id, app, workflow, id limit 10000
      ) p) as paused_runs
    from flow_budget
  `,
});
