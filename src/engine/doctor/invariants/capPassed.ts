import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  tokens: number;
  cost: number | null;
}

/**
 * A run fails at a call after those that reached its cap. Calls of one answer are counted together,
 * at one instant. An offloaded call is judged by the spend that was recorded a second before it was
 * sent. Only runs are checked whose definition has not changed since.
 */
export const capPassed = defineCheck<Row>({
  invariant: 'I12',
  name: 'capPassed',
  text: `
    select run.id as subject, run.project_id, max(spent.tokens)::float8 as tokens, max(spent.cost)::float8 as cost
    from (
      select run_id, step_index, attempt, send, project_id, app, workflow,
        sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)) over before as tokens, sum(cost::numeric) over before as cost
      from ai_usage where run_id >= $floorId
      window before as (partition by run_id order by created_at groups between unbounded preceding and 1 preceding)
    ) counted
    cross join lateral (
      select counted.tokens, counted.cost where counted.send = 0
      union all
      select sum(coalesce(b.tokens_in, 0) + coalesce(b.tokens_out, 0)), sum(b.cost::numeric)
      from inference_send s
      join ai_usage b on b.run_id = s.run_id and b.created_at < s.started_at - interval '1 second'
      where counted.send > 0 and s.run_id = counted.run_id and s.step_index = counted.step_index
        and s.attempt = counted.attempt and s.number = counted.send
    ) spent
    join workflow on workflow.project_id = counted.project_id and workflow.app = counted.app
      and workflow.name = counted.workflow
    join run on run.id = counted.run_id
    where run.status not in ('failed', 'cancelled') and workflow.updated_at <= run.created_at
      and (spent.tokens >= (workflow.flow_control #>> '{cap,maxTokens}')::numeric
        or spent.cost >= (workflow.flow_control #>> '{cap,maxCost}')::numeric)
    group by run.id, run.project_id
    limit $limit`,
  describe: ({ subject, tokens, cost }) =>
    `run ${subject} called a model after ${tokens} tokens${cost === null ? '' : ` and $${cost}`} reached its cap, and continued`,
});
