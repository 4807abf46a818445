import { statement } from '../../db/index.ts';
import type { WorkflowRef } from '../budget.ts';

/** Forgets verdicts that nothing is left of: their budgets are gone, and hold nothing any more. */
export const forgetBudgets = statement<{ workflows: readonly WorkflowRef[] }, never>({
  name: 'forgetBudgets',
  writes: true,
  text: `
    delete from flow_budget
    where (project_id, app, workflow) in (select * from unnest($1::uuid[], $2::text[], $3::text[]))
  `,
  values: ({ workflows }) => [
    workflows.map((each) => each.projectId),
    workflows.map((each) => each.app),
    workflows.map((each) => each.workflow),
  ],
});
