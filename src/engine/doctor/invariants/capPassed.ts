import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  tokens: number;
  cost: number | null;
}

/**
 * A run fails at a call after those that reached its cap. Calls of one answer are counted together,
 * at one instant. Only runs are checked whose definition has not changed since.
 */
export const capPassed = defineCheck<Row>({
  invariant: 'I12',
  name: 'capPassed',
  text: `
    select run.id as subject, run.project_id, max(counted.tokens)::float8 as tokens, max(counted.cost)::float8 as cost
    from (
      select run_id, project_id, app, workflow,
        sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)) over before as tokens, sum(cost::numeric) over before as cost
      from ai_usage where run_id >= $floorId
      window before as (partition by run_id order by created_at groups between unbounded preceding and 1 preceding)
    ) counted
    join workflow on workflow.project_id = counted.project_id and workflow.app = counted.app
      and workflow.name = counted.workflow
    join run on run.id = counted.run_id
    where run.status not in ('failed', 'cancelled') and workflow.updated_at <= run.created_at
      and (counted.tokens >= (workflow.flow_control #>> '{cap,maxTokens}')::numeric
        or counted.cost >= (workflow.flow_control #>> '{cap,maxCost}')::numeric)
    group by run.id, run.project_id
    limit $limit`,
  describe: ({ subject, tokens, cost }) =>
    `run ${subject} called a model after ${tokens} tokens${cost === null ? '' : ` and $${cost}`} reached its cap, and continued`,
});
