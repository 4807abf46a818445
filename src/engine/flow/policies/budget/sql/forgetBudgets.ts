import { rowset, statement, text, uuid } from '../../../../db/index.ts';

/** Deletes the verdicts of removed budgets that hold no run. */
export const forgetBudgets = statement<never>('forgetBudgets').writes({
  params: { workflows: rowset({ projectId: uuid, app: text, workflow: text }) },
  text: `
    delete from flow_budget
    where (project_id, app, workflow) in (select * from $workflows as w)
  `,
});
