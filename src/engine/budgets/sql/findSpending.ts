import { statement } from '../../db/index.ts';
import type { WorkflowRef } from '../budget.ts';

/**
 * Unfinished runs of a workflow that are not paused, as long as its budget is spent: first those that spend now, then those that
 * would next. Each part rides the index of its state, by lane, whatever else waits; what is executed is found among all that is.
 */
export const findSpending = statement<WorkflowRef & { limit: number }, { run_id: string }>({
  name: 'findSpending',
  writes: false,
  text: `
    with route as materialized (
      select id from lane where project_id = $1::uuid and app = $2 and workflow = $3
        and exists (
          select from flow_budget b
          where b.project_id = $1::uuid and b.app = $2 and b.workflow = $3 and b.exceeded_at is not null)
    )
    (select run_id from run_work
      where lease_id is not null and not pausing and lane_id = any(array(select id from route)) limit $4)
    union all
    (select w.run_id from route cross join lateral (
      select run_id from run_work where state = 'ready' and lane_id = route.id limit $4) w limit $4)
    union all
    (select w.run_id from route cross join lateral (
      select run_id from run_work where state in ('parked', 'gated') and lane_id = route.id limit $4) w limit $4)
    union all
    (select w.run_id from route cross join lateral (
      select run_id from run_work where state = 'stranded' and lane_id = route.id limit $4) w limit $4)
    limit $4
  `,
  values: ({ projectId, app, workflow, limit }) => [projectId, app, workflow, limit],
});
