import type { PolicySettings, WorkflowRef } from '../../index.ts';

export type BudgetPolicy = PolicySettings<'budget'>;

/** What the AI steps of a workflow spent within a window. */
export interface Spend {
  /** In and out. */
  tokens: number;
  /** USD; undefined where no call was priced. */
  cost: number | undefined;
}

/** What is to be made of it. */
export interface Verdict {
  /** `warnAtPct` of a limit is reached. */
  isWarned: boolean;
  /** A limit is reached: the runs of the workflow stop. */
  isExceeded: boolean;
}

/** Holds a spend to a budget (2.2). What is not priced does not count towards `maxCost`. */
export function judge({ maxCost, maxTokens, warnAtPct }: BudgetPolicy, { tokens, cost }: Spend): Verdict {
  const reaches = (pct: number): boolean =>
    (maxTokens !== undefined && tokens * 100 >= maxTokens * pct) ||
    (maxCost !== undefined && cost !== undefined && cost >= asDecimal((maxCost * pct) / 100));
  return { isWarned: warnAtPct !== undefined && reaches(warnAtPct), isExceeded: reaches(100) };
}

/**
 * Prices are decimal: ten times 0.1 is 1, as where the database adds it up, not 0.9999999999999999.
 */
export const asDecimal = (usd: number): number => Number(usd.toPrecision(15));

export const nameOf = ({ projectId, app, workflow }: WorkflowRef): string => JSON.stringify([projectId, app, workflow]);
