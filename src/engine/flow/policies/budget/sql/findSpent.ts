import { ordinal, rowset, statement, text, uuid } from '../../../../db/index.ts';

/**
 * The indexes of the workflows whose budget was spent at the last check. The lock keeps the verdict
 * until the end of the transaction. So the runs are paused before the verdict can change
 * (`recordVerdicts`).
 */
export const findSpent = statement<{ ord: number }>('findSpent').reads({
  params: { workflows: rowset({ ord: ordinal, projectId: uuid, app: text, workflow: text }) },
  text: `
    select w.ord
    from $workflows as w
    join flow_budget b on (b.project_id, b.app, b.workflow) = (w.project_id, w.app, w.workflow)
    where b.exceeded_at is not null
    order by b.project_id, b.app, b.workflow
    for share of b
  `,
});
