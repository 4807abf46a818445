import { bool, instant, rowset, statement, text, uuid } from '../../../../db/index.ts';

/** Stores verdicts, each with the time since which it holds. */
export const markBudgets = statement<never>('markBudgets').writes({
  params: {
    now: instant,
    verdicts: rowset({ projectId: uuid, app: text, workflow: text, isWarned: bool, isExceeded: bool }),
  },
  text: `
    insert into flow_budget as b (project_id, app, workflow, warned_at, exceeded_at)
    select project_id, app, workflow, case when is_warned then $now end,
      case when is_exceeded then $now end
    from $verdicts as v
    order by project_id, app, workflow
    on conflict (project_id, app, workflow) do update set
      warned_at = case when excluded.warned_at is not null then coalesce(b.warned_at, excluded.warned_at) end,
      exceeded_at = case when excluded.exceeded_at is not null then coalesce(b.exceeded_at, excluded.exceeded_at) end
  `,
});
