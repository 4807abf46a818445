/** Calls that are examined for the time at which a budget has room again. */
const maxCalls = 10_000;

/**
 * SQL: when the spend of a workflow falls below the limits of its budget, unless more is spent.
 * Null if the examined calls do not reach a limit. They are the newest ones, and are summed up
 * backwards.
 */
export const roomAtSql = ({
  app,
  workflow,
  definition,
}: {
  app: string;
  workflow: string;
  /** The row of the workflow, which has its policies. */
  definition: string;
}): string => `
        select greatest(spent.tokens_at, spent.cost_at)
          + (${definition}.flow_control -> 'budget' ->> 'windowMs')::float8 * interval '1 ms' as has_room_at
        from (
          select max(recent.created_at)
              filter (where recent.tokens >= (${definition}.flow_control -> 'budget' ->> 'maxTokens')::numeric) as tokens_at,
            max(recent.created_at)
              filter (where recent.cost >= (${definition}.flow_control -> 'budget' ->> 'maxCost')::numeric) as cost_at
          from (
            select u.created_at, sum(coalesce(u.tokens_in, 0) + coalesce(u.tokens_out, 0)) over newest as tokens,
              sum(u.cost::numeric) over newest as cost
            from (
              select created_at, tokens_in, tokens_out, cost from ai_usage
              where project_id = $projectId
                and (app, workflow, created_at) > (${app}, ${workflow},
                  $now - (${definition}.flow_control -> 'budget' ->> 'windowMs')::float8 * interval '1 ms')
                and (app, workflow, created_at) <= (${app}, ${workflow}, 'infinity')
              order by app desc, workflow desc, created_at desc
              limit ${maxCalls}
            ) u
            window newest as (order by u.created_at desc)
          ) recent
        ) spent`;
