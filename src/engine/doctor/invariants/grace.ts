/**
 * SQL: after so long a look at the budgets is overdue. Some were missed, or the last takes long
 * over a large backlog.
 */
export const budgetGrace = "(60000 + 3 * $budgetCheckMs) * interval '1 ms'";

/**
 * SQL: whether a live process that looks after deadlines has been up for longer than `grace`, an
 * interval.
 */
export const isLookedAfter = (grace: string): string => `exists (
  select from dispatcher
  where heartbeat_at > $now - interval '6 seconds' and started_at < $now - ${grace})`;

/** SQL: whether a sum of tokens and costs reaches a limit of a policy. */
export const isReached = (sum: string, policy: string): string =>
  `coalesce(${sum}.tokens >= (${policy} ->> 'maxTokens')::numeric, false)
    or coalesce(${sum}.cost >= (${policy} ->> 'maxCost')::numeric, false)`;
