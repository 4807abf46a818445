import { statement } from '../../db/statement.ts';
import type { WorkflowRef } from '../budget.ts';

/** Those of the workflows whose budget is spent, as the last look has found it; by their places. */
export const findSpent = statement<{ workflows: readonly WorkflowRef[] }, { ord: number }>({
  name: 'findSpent',
  writes: false,
  text: `
    select ord
    from unnest($1::int[], $2::uuid[], $3::text[], $4::text[]) as w(ord, project_id, app, workflow)
    where exists (
      select from flow_budget b
      where (b.project_id, b.app, b.workflow) = (w.project_id, w.app, w.workflow) and b.exceeded_at is not null)
  `,
  values: ({ workflows }) => [
    workflows.map((_, ord) => ord),
    workflows.map((each) => each.projectId),
    workflows.map((each) => each.app),
    workflows.map((each) => each.workflow),
  ],
});
