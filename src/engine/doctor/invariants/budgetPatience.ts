import type { Examination } from './check.ts';

/** After so long a look at the budgets is overdue, in ms: some were missed, or the last takes long over a large backlog. */
export const budgetPatienceMs = ({ budgetCheckMs }: Examination): number => 60_000 + 3 * budgetCheckMs;

/** SQL: whether a process that looks after budgets has been up for that long. `now`, `patience`: the statement's parameters. */
export const isLookedAfter = (now: string, patience: string): string => `exists (
  select from dispatcher
  where heartbeat_at > coalesce(${now}::timestamptz, now()) - interval '6 seconds'
    and started_at < coalesce(${now}::timestamptz, now()) - ${patience}::float8 * interval '1 ms')`;

/** SQL: whether a sum of tokens and costs reaches a limit of a policy. */
export const isReached = (sum: string, policy: string): string =>
  `coalesce(${sum}.tokens >= (${policy} ->> 'maxTokens')::numeric, false)
    or coalesce(${sum}.cost >= (${policy} ->> 'maxCost')::numeric, false)`;
