import { bool, bytea, float8, instant, int, statement, text, timestamptz, uuid } from '../../db/index.ts';
import { movedToKeySql } from './keySql.ts';
import { waitingSql } from './waitingSql.ts';

/** Deletes a call whose step settles, and its sealed request with it. It is locked. */
export const deleteCall = statement<never>('deleteCall').writes({
  params: { runId: uuid, stepIndex: int },
  text: 'delete from inference_call where run_id = $runId and step_index = $stepIndex',
});

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
      idempotency_key = coalesce($idempotencyKey, c.idempotency_key), request = coalesce($request, c.request),
      request_bytes = coalesce($requestBytes, c.request_bytes), ${movedToKeySql('c')}
    where c.run_id = $runId and c.step_index = $stepIndex
  `,
});

/** The calls of one lane that the end of a send wakes. */
const wokenPerLane = 2;

/**
 * Makes calls due that wait for others of their run, because a send of the run has ended. A few are
 * enough: each wakes others in its turn, so the number of calls side by side doubles while the cap
 * allows it. The transaction has locked the run.
 */
export const wakeCapped = statement<{ runId: string }>('wakeCapped').writes({
  params: { now: instant, runId: uuid },
  text: `
    update inference_call c
    set is_capped = false, due_at = $now
    where c.run_id = $runId and c.is_capped and c.lease_id is null and c.step_index in (
      select step_index from (
        select step_index, row_number() over (partition by lane_id order by due_at, step_index) as place
        from inference_call where run_id = $runId and is_capped and lease_id is null
      ) w
      where place <= ${wokenPerLane})
    returning c.run_id
  `,
});

/**
 * Notes the end of a send for its key and its lane. An answer to a send that began after the last
 * hold ends the hold, and doubles the width of the lane. A refusal for good is kept as the reason
 * of the lane. Rows are rarely changed, because many calls share them.
 */
export const noteUse = statement<{ hasWaiting: boolean }>('noteUse').writes({
  params: {
    now: instant,
    keyId: uuid,
    laneId: uuid,
    limit: int,
    isAnswered: bool,
    startedAt: timestamptz.orNull,
    refusal: text.orNull,
  },
  text: `
    with key as (
      update inference_key
      set last_used_at = $now,
        last_refused_at = case when $refusal is null then last_refused_at else $now end,
        last_refusal = coalesce($refusal, last_refusal)
      where id = $keyId and ($refusal is not null or coalesce(last_used_at <= $now - interval '1 minute', true))
    ),
    lane as (
      update inference_lane
      set holds = case when $isAnswered then 0 else holds end,
        held_until = case when not $isAnswered then held_until end,
        held_since = case when not $isAnswered then held_since end,
        held_for = case when not $isAnswered then $refusal end,
        width = case when not $isAnswered then width when width * 2 < $limit then width * 2 end,
        updated_at = $now
      where id = $laneId and (
        ($isAnswered and (width is not null or held_for is not null) and coalesce($startedAt >= held_until, true))
        or (not $isAnswered and $refusal is not null))
    )
    select exists (select from inference_call where ${waitingSql} and key_id = $keyId) as has_waiting
  `,
});

/** The longest hold that a provider may ask for, and the longest without its word. */
const maxAskedMs = 600_000;
const maxBackOffMs = 60_000;

/**
 * Holds a lane. The refusals of calls that were in flight together are one hold: only a send that
 * began after the last hold doubles the time. Afterwards one call probes (`width`).
 */
export const holdLane = statement<{ heldUntil: Date }>('holdLane').writes({
  params: {
    now: instant,
    laneId: uuid,
    /** Null: 1 s, doubled by each hold since the last success, up to 60 s. */
    forMs: float8.orNull,
    startedAt: timestamptz.orNull,
    reason: text,
  },
  text: `
    update inference_lane l
    set holds = n.holds, width = 1, held_for = $reason, held_since = coalesce(l.held_since, $now), updated_at = $now,
      held_until = greatest(coalesce(l.held_until, '-infinity'), $now + interval '1 ms' *
        least(coalesce($forMs, least(1000 * 2 ^ least(n.holds - 1, 10), ${maxBackOffMs})), ${maxAskedMs}))
    from (
      select id, holds + (holds = 0 or coalesce($startedAt >= held_until, true))::int as holds
      from inference_lane where id = $laneId for update
    ) n
    where l.id = n.id
    returning l.held_until
  `,
});
