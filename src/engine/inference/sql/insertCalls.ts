import { bigint, bool, bytea, float8, instant, int, rowset, statement, text, uuid } from '../../db/index.ts';
import { keyIdSql, laneIdSql, ownerSql } from './keySql.ts';
import { isOpenSql } from './waitingSql.ts';
import { forgottenSql } from './widthSql.ts';

/** A call that is leased from the beginning, with its first send under way. */
export interface SeatedRow {
  stepIndex: number;
  keyId: string;
  laneId: string;
  ownerId: string | null;
  idempotencyKey: string;
  deadlineAt: Date;
  startedAt: Date;
}

/**
 * Enqueues the model calls of one answer, in the transaction that records their steps and has
 * locked the run. A call of a run that is paused, or about to be, is paused from the beginning.
 *
 * `$followsCommit`: the commit of the steps came before in this transaction. If it wrote nothing,
 * because the lease was lost, this does not either. `xmin` tells which transaction wrote a row.
 *
 * A further attempt keeps the idempotency key of a last send whose end is unknown. An answer before
 * that send was asked for again, by another request than this one.
 *
 * A call with a seat is leased to `$processId` at once, and its first send is written into the
 * ledger, if nothing is to be decided: the transaction has locked its key (`lockSeats`), its lane
 * has no hold, full width and a recent success, and no send came before. Seats use half of the
 * limit of a key at most. So they take no place that a call of the queue waits for, and keep no
 * project from its turn.
 */
export const insertCalls = statement<SeatedRow>('insertCalls').writes({
  params: {
    now: instant,
    projectId: uuid,
    runId: uuid,
    followsCommit: bool,
    deadlineMs: float8,
    processId: uuid.orNull,
    /** The calls in flight of one key. */
    limit: int,
    calls: rowset({
      stepIndex: int,
      attempt: int,
      provider: text,
      model: text,
      request: bytea,
      requestBytes: int,
      maxTokens: int.orNull,
      looksUp: bool,
      idempotencyKey: uuid,
      hasSeat: bool,
      reservedTokens: bigint,
      reservedCost: float8.orNull,
    }),
  },
  text: `
    with process as (select id from inference_process where id = $processId for key share),
    call as materialized (
      select c.*, ${keyIdSql('o.owner', 'c.provider')} as key_id, ${laneIdSql('o.owner', 'c.provider', 'c.model')} as lane_id, w.pausing or w.state = 'paused' as is_paused
      from run_work w
      cross join $calls as c
      cross join lateral (select ${ownerSql('$projectId', 'c.provider')} as owner) o
      where w.run_id = $runId and (not $followsCommit or w.xmin = pg_current_xact_id()::xid)
    ),
    seated as materialized (
      select c.step_index, k.project_id as owner_id,
        row_number() over (partition by c.key_id order by c.step_index)
          + (select count(*) from inference_call f where f.lease_id is not null and not f.looks_up and f.key_id = c.key_id) as place
      from call c
      join inference_key k on k.id = c.key_id and k.xmax = pg_current_xact_id()::xid
      join inference_lane l on l.id = c.lane_id and l.width is null and ${isOpenSql('l')}
        and l.succeeded_at > $now - ${forgottenSql}
      where c.has_seat and not c.is_paused and exists (select from process)
    ),
    made as (
      insert into inference_call (run_id, step_index, attempt, project_id, key_id, lane_id, provider, model, request, request_bytes,
        max_tokens, looks_up, due_at, deadline_at, paused_at, idempotency_key, created_at, lease_id, claim_no, sends)
      select $runId, c.step_index, c.attempt, $projectId, c.key_id, c.lane_id, c.provider, c.model, c.request, c.request_bytes,
        c.max_tokens, c.looks_up, $now, $now + $deadlineMs * interval '1 ms', case when c.is_paused then $now end,
        coalesce(repeated.idempotency_key, c.idempotency_key), $now, case when s.place is not null then $processId end,
        case when s.place is null then 0 else 1 end, case when s.place is null then 0 else 1 end
      from call c
      left join seated s on s.step_index = c.step_index and s.place * 2 <= $limit
      left join lateral (
        select last.idempotency_key from (
          select attempt, outcome, idempotency_key from inference_send
          where run_id = $runId and step_index = c.step_index
          order by attempt desc, number desc limit 1
        ) last
        where last.outcome = 'unknown' and not exists (
          select from inference_send s
          where s.run_id = $runId and s.step_index = c.step_index and s.attempt = last.attempt and s.outcome = 'answered')
      ) repeated on true
      returning *
    ),
    begun as (
      insert into inference_send (run_id, step_index, attempt, number, project_id, key_id, provider, model, idempotency_key, process_id,
        reserved_tokens, reserved_cost, started_at)
      select m.run_id, m.step_index, m.attempt, m.sends, m.project_id, m.key_id, m.provider, m.model, m.idempotency_key, m.lease_id,
        c.reserved_tokens, c.reserved_cost, $clock
      from made m join call c on c.step_index = m.step_index
      where m.lease_id is not null
      returning step_index, started_at
    )
    select m.step_index, m.key_id, m.lane_id, s.owner_id, m.idempotency_key, m.deadline_at, b.started_at
    from made m
    join begun b on b.step_index = m.step_index
    join seated s on s.step_index = m.step_index
  `,
});
