import { bigint, bool, float8, instant, int, json, statement, text, uuid } from '../../db/index.ts';
import { isUnlimited } from '../../flow/policies/concurrency/index.ts';
import { hasEndpointsSql } from '../../lifecycle/index.ts';
import { endedStepPayloadSql, statusPayloadSql } from '../../timeline/index.ts';
import {
  backsOffSql,
  type ClaimedRow,
  claimedRunSql,
  fruitlessSql,
  isNotFoundDead,
  queuePosition,
} from '../../work/index.ts';
import { waitingSql } from './waitingSql.ts';

/** The run of the answered call. */
export interface TakenRow extends ClaimedRow {
  /** Whether calls wait under the same key. */
  hasWaiting: boolean;
  /** Whether its step woke the run. */
  isWoken: boolean;
  /** Whether `$dispatcherId` has leased the run. */
  isLeased: boolean;
}

/**
 * Takes the answer to the only send of a call: ends the send in the ledger, records what it spent,
 * deletes the call with its request, settles its step, and wakes the run. Does what `settleCall`
 * does by seven statements, for the call that is nearly every one. The transaction has locked the
 * run.
 *
 * The woken run is leased to `$dispatcherId`, which has reserved a runner slot, by the rules of the
 * claim. L2: runs of a lane with a limit are only woken.
 *
 * Does nothing unless the call is leased under this claim, and its send under way. Leaves paused
 * runs, runs that back off, and runs with endpoints to tell to `settleSteps`, and lanes with a hold
 * or a width to `noteUse`.
 */
export const takeAnswer = statement<TakenRow>('takeAnswer').writes({
  params: {
    now: instant,
    dispatcherId: uuid.orNull,
    processId: uuid,
    runId: uuid,
    stepIndex: int,
    attempt: int,
    claimNo: int,
    number: int,
    keyId: uuid,
    laneId: uuid,
    status: int.orNull,
    requestId: text.orNull,
    tokensIn: bigint.orNull,
    tokensOut: bigint.orNull,
    app: text,
    workflow: text,
    cost: float8.orNull,
    latencyMs: float8,
    cacheHit: bool.orNull,
    output: json,
    /** Without the time of the send, which the ledger tells. */
    ai: text,
    usage: json.orNull,
  },
  text: `
    with me as (select id from dispatcher where id = $dispatcherId and ${isNotFoundDead} for key share),
    call as materialized (
      select c.run_id, w.state = 'parked' as is_woken,
        w.state = 'parked' and exists (select from me) and coalesce(${isUnlimited('w.lane_id')}, false) as is_leased
      from inference_call c
      join run_work w on w.run_id = c.run_id
      join run r on r.id = c.run_id
      join run_step s on s.run_id = c.run_id and s.index = c.step_index and s.attempt = c.attempt
      join inference_lane l on l.id = $laneId and l.width is null and l.held_for is null and l.held_until is null
      where c.run_id = $runId and c.step_index = $stepIndex and c.attempt = $attempt and c.claim_no = $claimNo and c.lease_id = $processId
        and (w.state in ('ready', 'leased') or (w.state = 'parked' and r.status in ('waiting', 'needs_attention')))
        and s.status = 'waiting' and not ${backsOffSql('w')} and not ${hasEndpointsSql('w.project_id')}
      for update of c
    ),
    ended as (
      update inference_send s
      set outcome = 'answered', ended_at = $clock, status = $status, request_id = $requestId,
        tokens_in = $tokensIn, tokens_out = $tokensOut
      from call c
      where s.run_id = c.run_id and s.step_index = $stepIndex and s.attempt = $attempt and s.number = $number and s.outcome is null
      returning s.run_id, s.step_index, s.attempt, s.number, s.project_id, s.model, c.is_woken, c.is_leased, $clock as at,
        round(extract(epoch from s.ended_at - s.started_at) * 1000) as ms
    ),
    spent as (
      insert into ai_usage (run_id, step_index, attempt, send, project_id, app, workflow, model, tokens_in, tokens_out, cost,
        latency_ms, cache_hit, unknown, created_at)
      select run_id, step_index, attempt, number, project_id, $app, $workflow, model, $tokensIn, $tokensOut, $cost, $latencyMs, $cacheHit,
        false, $now
      from ended
      on conflict (run_id, step_index, attempt, send) do nothing
    ),
    taken as (
      delete from inference_call c using ended e where c.run_id = e.run_id and c.step_index = e.step_index
    ),
    used as (
      update inference_key k set last_used_at = $now from ended
      where k.id = $keyId and coalesce(k.last_used_at <= $now - interval '1 minute', true)
    ),
    succeeded as (
      update inference_lane l set succeeded_at = $now, updated_at = $now from ended
      where l.id = $laneId and coalesce(l.succeeded_at <= $now - interval '1 minute', true)
    ),
    step as (
      update run_step s set status = 'succeeded', output = $output,
        ai = jsonb_set($ai::jsonb, '{sends,0,ms}', to_jsonb(e.ms))::json, usage = $usage, ended_at = e.at, will_retry = false
      from ended e
      where s.run_id = e.run_id and s.index = e.step_index and s.attempt = e.attempt
      returning s.run_id, s.index, s.attempt, s.name, s.status, s.error, s.will_retry, s.run_after, s.started_at, s.ended_at
    ),
    woken as (
      update run_work w set
        wakes = w.wakes + 1,
        seq = w.seq + 1 + e.is_woken::int + e.is_leased::int,
        state = case when e.is_leased then 'leased' when e.is_woken then 'ready' else w.state end,
        lease_id = case when e.is_leased then $dispatcherId else w.lease_id end,
        claim_no = w.claim_no + e.is_leased::int,
        due_at = case when e.is_woken then null else w.due_at end,
        stranded_at = case when e.is_leased then null else w.stranded_at end,
        position = case when e.is_woken then ${queuePosition('e.at', 'w.shift_ms')} else w.position end
      from ended e
      where w.run_id = e.run_id
      returning w.run_id, w.lane_id, w.claim_no, w.wakes, w.seq, e.is_woken, e.is_leased, e.at, ${fruitlessSql}
    ),
    shown as (
      update run r set status = case when w.is_leased then 'running' else 'queued' end,
        started_at = case when w.is_leased then coalesce(r.started_at, w.at) else r.started_at end
      from woken w
      where w.is_woken and r.id = w.run_id
    ),
    journal as (
      insert into run_frame (run_id, seq, kind, ts, payload)
      select w.run_id, w.seq - w.is_woken::int - w.is_leased::int, 'step_status', w.at, ${endedStepPayloadSql}
      from woken w join step on step.run_id = w.run_id
      union all
      select run_id, seq - is_leased::int, 'run_status', at, ${statusPayloadSql('queued')} from woken where is_woken
      union all
      select run_id, seq, 'run_status', at, ${statusPayloadSql('running')} from woken where is_leased
    )
    select ${claimedRunSql}, w.lane_id, w.claim_no, w.wakes, w.seq, w.is_leased as turned_running, w.unanswered, w.repeats,
      w.at as now, w.at::timestamptz(3) as dated, w.is_woken, w.is_leased,
      (select key_id from inference_call where ${waitingSql} and key_id = $keyId
        order by key_id, lane_id, project_id, due_at limit 1) is not null as has_waiting
    from woken w join run r on r.id = w.run_id
  `,
});
