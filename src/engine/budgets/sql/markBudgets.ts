import { statement } from '../../db/index.ts';
import type { Verdict, WorkflowRef } from '../budget.ts';

/** Keeps verdicts, each with the time from which on it has held. */
export const markBudgets = statement<{ verdicts: readonly (WorkflowRef & Verdict)[]; now: Date | null }, never>({
  name: 'markBudgets',
  writes: true,
  text: `
    insert into flow_budget as b (project_id, app, workflow, warned_at, exceeded_at)
    select project_id, app, workflow, case when is_warned then coalesce($1::timestamptz, now()) end,
      case when is_exceeded then coalesce($1::timestamptz, now()) end
    from unnest($2::uuid[], $3::text[], $4::text[], $5::bool[], $6::bool[])
      as v(project_id, app, workflow, is_warned, is_exceeded)
    order by project_id, app, workflow
    on conflict (project_id, app, workflow) do update set
      warned_at = case when excluded.warned_at is not null then coalesce(b.warned_at, excluded.warned_at) end,
      exceeded_at = case when excluded.exceeded_at is not null then coalesce(b.exceeded_at, excluded.exceeded_at) end
  `,
  values: ({ verdicts, now }) => [
    now,
    verdicts.map((each) => each.projectId),
    verdicts.map((each) => each.app),
    verdicts.map((each) => each.workflow),
    verdicts.map((each) => each.isWarned),
    verdicts.map((each) => each.isExceeded),
  ],
});
