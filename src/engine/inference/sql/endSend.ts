import { bigint, bool, instant, int, statement, text, uuid } from '../../db/index.ts';

interface Row {
  /** Whether the call is still that of this claim. Its lease may have run out. */
  isCurrent: boolean;
  /** Whether a process has the call. */
  isLeased: boolean;
  /** How the ledger said that the send ended: null: under way; undefined fields: no such send. */
  lastOutcome: string | null;
  /** Whether this statement recorded the end. */
  isRecorded: boolean;
  /** When the send began. */
  startedAt: Date | null;
}

/**
 * Locks a call, and ends its send in the ledger. An end that is known replaces `unknown`, also when
 * the call has ended or was claimed again; nothing replaces an end that is known. `claim_no` is the
 * fence of the call: it grows with each claim, and with each outcome that frees the call.
 */
export const endSend = statement<Row>('endSend').writes({
  params: {
    now: instant,
    runId: uuid,
    stepIndex: int,
    attempt: int,
    claimNo: int,
    hasSend: bool,
    number: int,
    outcome: text.narrow<'answered' | 'refused' | 'unknown'>(),
    status: int.orNull,
    requestId: text.orNull,
    tokensIn: bigint.orNull,
    tokensOut: bigint.orNull,
    error: text.orNull,
  },
  text: `
    with call as materialized (
      select lease_id from inference_call
      where run_id = $runId and step_index = $stepIndex and attempt = $attempt and claim_no = $claimNo
      for update
    ),
    known as materialized (
      select outcome, started_at from inference_send
      where $hasSend and run_id = $runId and step_index = $stepIndex and attempt = $attempt and number = $number
        and (select count(*) from call) >= 0
      for update
    ),
    ended as (
      update inference_send s
      set outcome = $outcome, ended_at = $clock, status = coalesce($status, s.status), request_id = coalesce($requestId, s.request_id),
        tokens_in = coalesce($tokensIn, s.tokens_in), tokens_out = coalesce($tokensOut, s.tokens_out), error = $error
      from known
      where coalesce(known.outcome, 'unknown') = 'unknown'
        and s.run_id = $runId and s.step_index = $stepIndex and s.attempt = $attempt and s.number = $number
      returning s.number
    )
    select exists (select from call) as is_current, exists (select from call where lease_id is not null) as is_leased,
      (select outcome from known) as last_outcome,
      exists (select from ended) as is_recorded, (select started_at from known) as started_at
  `,
});
