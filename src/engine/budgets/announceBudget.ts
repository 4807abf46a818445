import type { EngineContext } from '../context.ts';
import type { BudgetPolicy, Spend, Verdict, WorkflowRef } from './budget.ts';

/** A budget that was looked at, with what was found before. */
export interface LookedAt extends WorkflowRef, Verdict {
  /** In force; undefined where a registration took it away. */
  policy: BudgetPolicy | undefined;
  spend: Spend;
  was: Verdict;
  /** Whether it holds any run. */
  hasPaused: boolean;
}

export const isNewlyWarned = ({ isWarned, was }: LookedAt): boolean => isWarned && !was.isWarned;

/** What people are told of a spend. */
export const figuresOf = ({ policy, spend }: Pick<LookedAt, 'policy' | 'spend'>): object => ({ ...spend, ...policy });

/** Writes to the log what has changed, once per change. */
export function announceBudget(ctx: EngineContext, budget: LookedAt): void {
  const { app, workflow, projectId, isExceeded, was } = budget;
  const about = { projectId, app, workflow, ...figuresOf(budget) };
  if (isNewlyWarned(budget)) ctx.log.warn(about, warningOf(budget));
  if (isExceeded && !was.isExceeded) ctx.log.warn(about, 'the budget of a workflow is spent: its runs are paused');
  if (!isExceeded && was.isExceeded) ctx.log.info(about, 'the budget of a workflow has room again: its runs go on');
}

export const warningOf = ({ policy }: Pick<LookedAt, 'policy'>): string =>
  `${policy?.warnAtPct} % of the budget of the workflow is spent`;
