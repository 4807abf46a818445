import { statement } from '../../db/index.ts';

/** Whether there is anything to look at. All that a service without budgets ever asks. */
export const hasBudgets = statement<void, { has: boolean }>({
  name: 'hasBudgets',
  writes: false,
  text: `
    select exists (select from workflow where (flow_control -> 'budget') is not null) or exists (select from flow_budget) as has
  `,
  values: () => [],
});
