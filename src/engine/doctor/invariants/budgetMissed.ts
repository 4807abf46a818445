import { defineCheck, type FoundRow } from './check.ts';
import { budgetGrace as grace, isLookedAfter, isReached } from './grace.ts';

interface Row extends FoundRow {
  app: string;
  name: string;
}

/**
 * A budget that was spent all the while is known to be. Calls of the last moments may not have been
 * seen yet.
 */
export const budgetMissed = defineCheck<Row>({
  invariant: 'I12',
  name: 'budgetMissed',
  text: `
    select workflow.id as subject, workflow.project_id, workflow.app, workflow.name
    from workflow
    cross join lateral (
      select coalesce(sum(tokens_in), 0) + coalesce(sum(tokens_out), 0) as tokens, sum(cost::numeric) as cost
      from ai_usage
      where ai_usage.project_id = workflow.project_id
        and (ai_usage.app, ai_usage.workflow, created_at) <= (workflow.app, workflow.name,
          $now - ${grace})
        and (ai_usage.app, ai_usage.workflow, created_at) > (workflow.app, workflow.name,
          $now - (workflow.flow_control #>> '{budget,windowMs}')::float8 * interval '1 ms')
    ) spent
    where (workflow.flow_control -> 'budget') is not null
      and workflow.updated_at < $now - ${grace}
      and (${isReached('spent', "(workflow.flow_control -> 'budget')")})
      and not exists (
        select from flow_budget
        where (flow_budget.project_id, flow_budget.app, flow_budget.workflow)
          = (workflow.project_id, workflow.app, workflow.name) and exceeded_at is not null)
      and ${isLookedAfter(grace)}
    limit $limit`,
  describe: ({ subject, app, name }) =>
    `the budget of workflow ${app}/${name} (${subject}) is spent, and nobody has noticed`,
});
