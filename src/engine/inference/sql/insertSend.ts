import { bigint, float8, instant, int, statement, uuid } from '../../db/index.ts';

interface Row {
  number: number;
  idempotencyKey: string;
  startedAt: Date;
}

/** Writes the next send of a call into the ledger. The transaction has locked the call. */
export const insertSend = statement<Row>('insertSend').writes({
  params: {
    now: instant,
    processId: uuid,
    runId: uuid,
    stepIndex: int,
    reservedTokens: bigint,
    reservedCost: float8.orNull,
  },
  text: `
    with call as (
      update inference_call set sends = sends + 1
      where run_id = $runId and step_index = $stepIndex
      returning run_id, step_index, attempt, sends, project_id, key_id, provider, model, idempotency_key
    )
    insert into inference_send (run_id, step_index, attempt, number, project_id, key_id, provider, model, idempotency_key, process_id,
      reserved_tokens, reserved_cost, started_at)
    select run_id, step_index, attempt, sends, project_id, key_id, provider, model, idempotency_key, $processId,
      $reservedTokens, $reservedCost, $clock
    from call
    returning number, idempotency_key, started_at
  `,
});
