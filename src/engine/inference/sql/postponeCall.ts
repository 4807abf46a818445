import { bytea, float8, instant, int, statement, uuid } from '../../db/index.ts';
import { movedToKeySql } from './keySql.ts';

/**
 * Frees a call that will be sent again. It is locked. `claim_no` grows, so that a repetition of
 * this outcome changes nothing.
 */
export const postponeCall = statement<never>('postponeCall').writes({
  params: {
    now: instant,
    runId: uuid,
    stepIndex: int,
    inMs: float8,
    failures: int,
    reasked: int,
    /** For the next send. Null: that of the last one, whose end is unknown. */
    idempotencyKey: uuid.orNull,
    /** The request that asks again, sealed, and its bytes in the clear. Null: the same. */
    request: bytea.orNull,
    requestBytes: int.orNull,
  },
  text: `
    update inference_call c
    set lease_id = null, claim_no = c.claim_no + 1, due_at = $now + $inMs * interval '1 ms',
      failures = c.failures + $failures, reasked = c.reasked + $reasked,
      idempotency_key = coalesce($idempotencyKey, c.idempotency_key),
      request = coalesce($request, c.request), request_bytes = coalesce($requestBytes, c.request_bytes), ${movedToKeySql('c')}
    where c.run_id = $runId and c.step_index = $stepIndex
  `,
});
