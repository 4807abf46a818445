import { bigint, bool, float8, instant, int, statement, text, uuid } from '../../db/index.ts';

/**
 * Takes the answer to the only send of a call, in the transaction that settles its step and has
 * locked the run: ends the send in the ledger, records what it spent, and deletes the call with its
 * request. Does nothing unless the call is leased under this claim, and its send under way:
 * `settleCall` decides about all others.
 */
export const takeAnswer = statement<{ number: number }>('takeAnswer').writes({
  params: {
    now: instant,
    processId: uuid,
    runId: uuid,
    stepIndex: int,
    attempt: int,
    claimNo: int,
    number: int,
    /** How long the send took. */
    ms: float8,
    status: int.orNull,
    requestId: text.orNull,
    tokensIn: bigint.orNull,
    tokensOut: bigint.orNull,
    app: text,
    workflow: text,
    cost: float8.orNull,
    cacheHit: bool.orNull,
  },
  text: `
    with call as materialized (
      select run_id from inference_call
      where run_id = $runId and step_index = $stepIndex and attempt = $attempt and claim_no = $claimNo and lease_id = $processId
      for update
    ),
    ended as (
      update inference_send s
      set outcome = 'answered', ended_at = s.started_at + $ms * interval '1 ms', status = $status, request_id = $requestId,
        tokens_in = $tokensIn, tokens_out = $tokensOut
      where s.run_id = $runId and s.step_index = $stepIndex and s.attempt = $attempt and s.number = $number
        and s.outcome is null and (select count(*) from call) > 0
      returning s.*
    ),
    spent as (
      insert into ai_usage (run_id, step_index, attempt, send, project_id, app, workflow, model, tokens_in, tokens_out, cost,
        latency_ms, cache_hit, unknown, created_at)
      select run_id, step_index, attempt, number, project_id, $app, $workflow, model, tokens_in, tokens_out, $cost, $ms, $cacheHit,
        false, $now
      from ended
      on conflict (run_id, step_index, attempt, send) do nothing
    ),
    taken as (
      delete from inference_call c using ended e where c.run_id = e.run_id and c.step_index = e.step_index
    )
    select number from ended
  `,
});
