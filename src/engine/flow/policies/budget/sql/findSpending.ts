import { bigint, statement, text, uuid } from '../../../../db/index.ts';

/**
 * Unfinished runs of a workflow that are not paused, if its budget is spent. Runs that spend now
 * come first, then runs that would spend next. Each part uses the index of its state, by lane,
 * whatever else waits. Executing runs are filtered from all executing runs.
 */
export const findSpending = statement<{ runId: string }>('findSpending').reads({
  params: { projectId: uuid, app: text, workflow: text, limit: bigint },
  text: `
    with route as materialized (
      select id from lane where project_id = $projectId and app = $app and workflow = $workflow
        and exists (
          select from flow_budget b
          where b.project_id = $projectId and b.app = $app and b.workflow = $workflow and b.exceeded_at is not null)
    )
    (select run_id from run_work
      where lease_id is not null and not pausing and lane_id = any(array(select id from route)) limit $limit)
    union all
    (select w.run_id from route cross join lateral (
      select run_id from run_work where state = 'ready' and lane_id = route.id limit $limit) w limit $limit)
    union all
    (select w.run_id from route cross join lateral (
      select run_id from run_work where state in ('parked', 'gated') and lane_id = route.id limit $limit) w limit $limit)
    union all
    (select w.run_id from route cross join lateral (
      select run_id from run_work where state = 'stranded' and lane_id = route.id limit $limit) w limit $limit)
    limit $limit
  `,
});
