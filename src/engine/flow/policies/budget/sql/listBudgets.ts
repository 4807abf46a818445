import { instant, statement } from '../../../../db/index.ts';

export interface BudgetRow {
  projectId: string;
  app: string;
  workflow: string;
  /** JSON text of the policy; null if a registration removed it. */
  policy: string | null;
  isWarned: boolean;
  isExceeded: boolean;
  /** Whether it paused any run. */
  hasPaused: boolean;
  now: Date;
}

/**
 * All budgets in force, and removed ones that still have a verdict or paused runs. `offset 0` keeps
 * the planner from hashing all runs that budgets paused.
 */
export const listBudgets = statement<BudgetRow>('listBudgets').reads({
  params: { now: instant },
  text: `
    select known.*, $now as now,
      exists (
        select from run
        where run.project_id = known.project_id and run.app = known.app and run.workflow = known.workflow
          and run.paused_reason = 'budget'
        offset 0
      ) as has_paused
    from (
      select w.project_id, w.app, w.name as workflow, w.flow_control -> 'budget' as policy,
        b.warned_at is not null as is_warned, b.exceeded_at is not null as is_exceeded
      from workflow w
      left join flow_budget b on (b.project_id, b.app, b.workflow) = (w.project_id, w.app, w.name)
      where (w.flow_control -> 'budget') is not null
      union all
      select b.project_id, b.app, b.workflow, null, b.warned_at is not null, b.exceeded_at is not null
      from flow_budget b
      where not exists (
        select from workflow w
        where (w.project_id, w.app, w.name) = (b.project_id, b.app, b.workflow) and (w.flow_control -> 'budget') is not null)
    ) known
  `,
});
