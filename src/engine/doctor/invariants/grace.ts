/**
 * SQL: the time after which due work is overdue. Due work starts within about a second, so this
 * covers any recovery.
 */
export const recoveryGrace = "interval '30 seconds'";

/**
 * SQL: the time after which a check of the budgets is overdue. Checks may be skipped, or take long
 * over a large backlog.
 */
export const budgetGrace = "(60000 + 3 * $budgetCheckMs) * interval '1 ms'";

/**
 * SQL: whether a live dispatcher has run for longer than `grace`. Work that is overdue because the
 * service was stopped is no violation.
 */
export const hasLiveDispatcher = (grace: string): string => `exists (
  select from dispatcher
  where heartbeat_at > $now - interval '6 seconds' and found_dead_at is null and started_at < $now - ${grace})`;

/** SQL: whether a sum of tokens and costs reaches a limit of a policy. */
export const isReached = (sum: string, policy: string): string =>
  `coalesce(${sum}.tokens >= (${policy} ->> 'maxTokens')::numeric, false)
    or coalesce(${sum}.cost >= (${policy} ->> 'maxCost')::numeric, false)`;

/**
 * SQL: whether a process that calls models should have been found dead: it is silent, and another
 * one is alive to find it.
 */
export const isOwnerless = (processId: string): string => `not exists (
  select from inference_process p where p.id = ${processId} and p.heartbeat_at > $now - interval '15 seconds')
  and exists (select from inference_process p where p.heartbeat_at > $now - interval '6 seconds')`;
