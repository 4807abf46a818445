import { rowset, statement, text, uuid } from '../../../../db/index.ts';

/** Forgets the verdicts of budgets that are gone and hold no run any more. */
export const forgetBudgets = statement<never>('forgetBudgets').writes({
  params: { workflows: rowset({ projectId: uuid, app: text, workflow: text }) },
  text: `
    delete from flow_budget
    where (project_id, app, workflow) in (select * from $workflows as w)
  `,
});
