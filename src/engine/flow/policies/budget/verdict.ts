import type { PolicySettings, WorkflowRef } from '../../index.ts';

export type BudgetPolicy = PolicySettings<'budget'>;

/** The spend of a workflow's AI steps within a window. */
export interface Spend {
  /** Input and output tokens. */
  tokens: number;
  /** USD; undefined if no call was priced. */
  cost: number | undefined;
}

/** The result of comparing a spend with a budget. */
export interface Verdict {
  /** The spend reached `warnAtPct` of a limit. */
  isWarned: boolean;
  /** The spend reached a limit, so the workflow's runs are paused. */
  isExceeded: boolean;
}

/** Compares a spend with a budget (2.2). Calls without a price do not count towards `maxCost`. */
export function judge({ maxCost, maxTokens, warnAtPct }: BudgetPolicy, { tokens, cost }: Spend): Verdict {
  const reaches = (pct: number): boolean =>
    (maxTokens !== undefined && tokens * 100 >= maxTokens * pct) ||
    (maxCost !== undefined && cost !== undefined && cost >= asDecimal((maxCost * pct) / 100));
  return { isWarned: warnAtPct !== undefined && reaches(warnAtPct), isExceeded: reaches(100) };
}

/** Prices are decimal: ten times 0.1 is 1, as in the database, not 0.9999999999999999. */
export const asDecimal = (usd: number): number => Number(usd.toPrecision(15));

export const nameOf = ({ projectId, app, workflow }: WorkflowRef): string => JSON.stringify([projectId, app, workflow]);
