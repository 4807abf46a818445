import { instant, int, statement, uuid } from '../../db/index.ts';
import { isOpenSql } from './waitingSql.ts';

interface Row {
  /** The number of the last send. */
  sends: number;
  idempotencyKey: string;
  /** Whether the run is paused, or about to be. */
  isPaused: boolean;
  isHeld: boolean;
  /** Whether the step waits. A version without model calls may have ended it. */
  isWanted: boolean;
  /** When the last send began, if it did not leave: the answer of its `beginSend` was lost. */
  begunAt: Date | null;
  /** Sends under way of other steps of the run, and what they have reserved. */
  others: number;
  reservedTokens: number;
  reservedCost: number;
}

/**
 * Locks a call that is leased under this claim, and reads what decides about its next send. The
 * transaction has locked the run, so no other send of the run begins or ends meanwhile.
 */
export const readSendState = statement<Row>('readSendState').reads({
  params: { now: instant, processId: uuid, runId: uuid, stepIndex: int, claimNo: int },
  text: `
    select c.sends, c.idempotency_key, w.state = 'paused' or w.pausing as is_paused,
      not coalesce((select ${isOpenSql('l')} from inference_lane l where l.id = c.lane_id), true) as is_held,
      exists (
        select from run_step s
        where s.run_id = c.run_id and s.index = c.step_index and s.attempt = c.attempt and s.status = 'waiting') as is_wanted,
      (select s.started_at from inference_send s
        where s.run_id = c.run_id and s.step_index = c.step_index and s.attempt = c.attempt and s.number = c.sends
          and s.outcome is null and s.process_id = $processId) as begun_at,
      o.others, o.reserved_tokens, o.reserved_cost
    from inference_call c
    join run_work w on w.run_id = c.run_id
    cross join lateral (
      select count(*)::int as others, coalesce(sum(reserved_tokens), 0)::float8 as reserved_tokens,
        coalesce(sum(reserved_cost), 0)::float8 as reserved_cost
      from inference_send s
      where s.run_id = c.run_id and s.outcome is null and s.step_index <> c.step_index
    ) o
    where c.run_id = $runId and c.step_index = $stepIndex and c.claim_no = $claimNo and c.lease_id = $processId
    for update of c
  `,
});
