import { z } from 'zod';
import {
  cost,
  durationMs,
  hasLimit,
  maxStateRows,
  noLimit,
  ofWorkflow,
  type Policy,
  percent,
  policyState,
  tokenCount,
} from '../../index.ts';
import { holdStarts } from './holdRuns.ts';
import { spendWindowsOf } from './recordVerdicts.ts';
import { countHeld } from './sql/countHeld.ts';
import type { BudgetPolicy } from './verdict.ts';

/** Ordered by app and name. */
const state = policyState({
  field: 'budgets',
  row: z
    .object({
      ...ofWorkflow,
      cost: z.number().optional().describe('USD in the window; null if no call was priced.'),
      tokens: z.number().describe('Input and output tokens in the window.'),
      maxCost: z.number().optional(),
      maxTokens: z.number().optional(),
      windowMs: z.number(),
      paused: z.number().describe('Runs that the budget paused.'),
      warnedAt: z.date().optional().describe('Since when the spend has reached `warnAtPct`; null below it.'),
      exceededAt: z.date().optional().describe('Since when the spend has reached a limit; null below it.'),
      resumesAt: z.date().optional().describe('When a spent budget has room again, unless more is spent.'),
    })
    .meta({ title: 'FlowBudgetState' }),
  async read(ctx, { projectId, workflow, app }) {
    const rows = await countHeld(ctx.db, { projectId, workflow, app, limit: maxStateRows, now: ctx.clock.sql() });
    const budgets = rows.map((row) => ({ ...row, policy: JSON.parse(row.policy) as BudgetPolicy }));
    const at = rows[0]?.now;
    if (!at) return [];
    const windows = budgets.map(({ policy: { windowMs }, ...of }) => ({
      ...{ projectId, app: of.app, workflow: of.workflow },
      windowMs,
    }));
    const spends = await spendWindowsOf(ctx).read(ctx.db, windows, at);
    return budgets.map(({ policy: { maxTokens, maxCost, windowMs }, paused, ...of }, position) => ({
      ...{ app: of.app, workflow: of.workflow, paused, maxTokens, maxCost, windowMs },
      ...(spends[position] ?? { tokens: 0, cost: undefined }),
      warnedAt: of.warnedAt ?? undefined,
      exceededAt: of.exceededAt ?? undefined,
      resumesAt: of.resumesAt ?? undefined,
    }));
  },
});

/** 2.2 `budget`: if a workflow's budget is spent, its runs start paused. */
export const budget = {
  settings: z
    .strictObject({
      maxCost: cost.nullish().describe('USD per window.'),
      maxTokens: tokenCount.nullish(),
      windowMs: durationMs,
      warnAtPct: percent.nullish(),
    })
    .refine(hasLimit, noLimit)
    .meta({ title: 'FlowBudget' }),
  origins: ['start', 'debounced', 'batched', 'call', 'fork', 'followOn'],
  recorded: ({ ctx, tx }, runs) => holdStarts(ctx, tx, runs),
  state,
} satisfies Policy<'budget'>;
