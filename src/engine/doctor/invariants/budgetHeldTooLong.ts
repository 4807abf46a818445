import { defineCheck, type FoundRow } from './check.ts';
import { budgetGrace as grace, isLookedAfter, isReached } from './grace.ts';

interface Row extends FoundRow {
  app: string;
  workflow: string;
}

/**
 * A budget lets its runs go once it has room. It has had some all the while where what was spent in
 * the window that ended back then, and all since, comes to less than its limits. One run speaks for
 * all of a workflow.
 */
export const budgetHeldTooLong = defineCheck<Row>({
  invariant: 'I12',
  name: 'budgetHeldTooLong',
  text: `
    select held.id as subject, held.project_id, held.app, held.workflow
    from (
      select distinct on (project_id, app, workflow) project_id, app, workflow, id
      from run where paused_reason = 'budget'
      order by project_id, app, workflow, id
    ) held
    join workflow on (workflow.project_id, workflow.app, workflow.name) = (held.project_id, held.app, held.workflow)
    cross join lateral (
      select coalesce(sum(tokens_in), 0) + coalesce(sum(tokens_out), 0) as tokens, sum(cost::numeric) as cost
      from ai_usage
      where ai_usage.project_id = held.project_id
        and (ai_usage.app, ai_usage.workflow, created_at) > (held.app, held.workflow,
          $now - ${grace}
            - (workflow.flow_control #>> '{budget,windowMs}')::float8 * interval '1 ms')
        and (ai_usage.app, ai_usage.workflow) = (held.app, held.workflow)
    ) spent
    where workflow.updated_at < $now - ${grace}
      and not (${isReached('spent', "(workflow.flow_control -> 'budget')")})
      and ${isLookedAfter(grace)}
    limit $limit`,
  describe: ({ subject, app, workflow }) =>
    `run ${subject} is still paused by the budget of ${app}/${workflow}, which has long had room again`,
});
