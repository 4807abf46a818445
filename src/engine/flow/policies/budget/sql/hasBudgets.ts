import { statement } from '../../../../db/index.ts';

/** Whether there is any budget to check. A service without budgets runs only this. */
export const hasBudgets = statement<{ has: boolean }>('hasBudgets').reads({
  text: `
    select exists (select from workflow where (flow_control -> 'budget') is not null) or exists (select from flow_budget) as has
  `,
});
