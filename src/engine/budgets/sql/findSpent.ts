import { statement } from '../../db/index.ts';
import type { WorkflowRef } from '../budget.ts';

/**
 * Those of the workflows whose budget is spent, as the last look has found it; by their places. It stays so until the transaction ends:
 * who pauses runs for it comes before the look that finds it changed (`lookAtBudgets`).
 */
export const findSpent = statement<{ workflows: readonly WorkflowRef[] }, { ord: number }>({
  name: 'findSpent',
  writes: false,
  text: `
    select w.ord
    from unnest($1::int[], $2::uuid[], $3::text[], $4::text[]) as w(ord, project_id, app, workflow)
    join flow_budget b on (b.project_id, b.app, b.workflow) = (w.project_id, w.app, w.workflow)
    where b.exceeded_at is not null
    order by b.project_id, b.app, b.workflow
    for share of b
  `,
  values: ({ workflows }) => [
    workflows.map((_, ord) => ord),
    workflows.map((each) => each.projectId),
    workflows.map((each) => each.app),
    workflows.map((each) => each.workflow),
  ],
});
