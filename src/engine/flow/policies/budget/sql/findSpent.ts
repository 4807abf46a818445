import { place, rowset, statement, text, uuid } from '../../../../db/index.ts';

/**
 * The workflows whose budget is spent, as the last look has found it, by their places. It stays so
 * until the transaction ends: runs are paused for it before the look that finds it changed
 * (`lookAtBudgets`).
 */
export const findSpent = statement<{ ord: number }>('findSpent').reads({
  params: { workflows: rowset({ ord: place, projectId: uuid, app: text, workflow: text }) },
  text: `
    select w.ord
    from $workflows as w
    join flow_budget b on (b.project_id, b.app, b.workflow) = (w.project_id, w.app, w.workflow)
    where b.exceeded_at is not null
    order by b.project_id, b.app, b.workflow
    for share of b
  `,
});
