import { bigint, bool, float8, int, statement, uuid } from '../../db/index.ts';

/**
 * Stores what became known of a send whose end was unknown. Returns the tokens by which its spend
 * grew. A send that was refused after all was not billed, so its row goes.
 */
export const amendUsage = statement<{ tokens: number }>('amendUsage').writes({
  params: {
    runId: uuid,
    stepIndex: int,
    attempt: int,
    send: int,
    tokensIn: bigint.orNull,
    tokensOut: bigint.orNull,
    cost: float8.orNull,
    latencyMs: float8.orNull,
    unknown: bool,
    isBilled: bool,
  },
  text: `
    with known as materialized (
      select coalesce(tokens_in, 0) + coalesce(tokens_out, 0) as tokens from ai_usage
      where run_id = $runId and step_index = $stepIndex and attempt = $attempt and send = $send and unknown
      for update
    ),
    dropped as (
      delete from ai_usage u using known
      where not $isBilled and u.run_id = $runId and u.step_index = $stepIndex and u.attempt = $attempt and u.send = $send
    ),
    amended as (
      update ai_usage u
      set unknown = $unknown, tokens_in = coalesce($tokensIn, u.tokens_in), tokens_out = coalesce($tokensOut, u.tokens_out),
        cost = coalesce($cost, u.cost), latency_ms = coalesce($latencyMs, u.latency_ms)
      from known
      where $isBilled and u.run_id = $runId and u.step_index = $stepIndex and u.attempt = $attempt and u.send = $send
      returning coalesce(u.tokens_in, 0) + coalesce(u.tokens_out, 0) - known.tokens as tokens
    )
    select greatest(tokens, 0)::float8 as tokens from amended
  `,
});
