/**
 * SQL: after so long a look at the budgets is overdue. Some were missed, or the last takes long
 * over a large backlog.
 */
export const budgetPatience = "(60000 + 3 * $budgetCheckMs) * interval '1 ms'";

/**
 * SQL: whether a live process that looks after deadlines has been up for longer than `patience`, an
 * interval.
 */
export const isLookedAfter = (patience: string): string => `exists (
  select from dispatcher
  where heartbeat_at > $now - interval '6 seconds' and found_dead_at is null and started_at < $now - ${patience})`;

/** SQL: whether a sum of tokens and costs reaches a limit of a policy. */
export const isReached = (sum: string, policy: string): string =>
  `coalesce(${sum}.tokens >= (${policy} ->> 'maxTokens')::numeric, false)
    or coalesce(${sum}.cost >= (${policy} ->> 'maxCost')::numeric, false)`;
