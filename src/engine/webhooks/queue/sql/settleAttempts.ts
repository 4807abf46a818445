import { float8, instant, int, json, rowset, statement, text, uuid } from '../../../db/index.ts';
import type { AttemptOutcome, DeliveryStatus } from '../../deliveries/index.ts';

interface Row {
  deliveryId: string;
  projectId: string;
  lane: string;
  /** Failures of the lane in a row, after all of these outcomes. */
  failures: number | null;
  /** Whether the lane has failed for longer than the limit. */
  isFailingLong: boolean;
}

/** Outcomes that say nothing about the endpoint. */
const untried: AttemptOutcome = 'skipped';

/**
 * Settles attempts under their leases. Each attempt gets the next number of its delivery, and
 * either ends the delivery's work or frees it until its next attempt.
 * An outcome whose lease has ended matches no row of `webhook_work`, so it changes nothing.
 *
 * `is not distinct from` keeps the planner from the index of leased rows. It believes that there
 * are hardly any, and would compare each of them with each outcome.
 *
 * Two senders never settle the same work, and lock lanes last, in order of their ids: so they
 * cannot deadlock. The update counts up from the lane as it is after that lock. A redelivery of
 * many locks work in the order of its ids. The caller sorts attempts the same way, but those that
 * end come before those that are postponed: a rare deadlock remains, which is retried.
 */
export const settleAttempts = statement<Row>('settleAttempts').writes({
  params: {
    now: instant,
    senderId: uuid,
    disableAfterMs: float8,
    outcomes: rowset({
      /** The order in which they ended. */
      n: int,
      deliveryId: uuid,
      claimNo: int,
      attemptId: uuid,
      outcome: text.narrow<AttemptOutcome>(),
      statusCode: int.orNull,
      responseSnippet: text.orNull,
      error: text.orNull,
      durationMs: int,
      requestHeaders: json,
      responseHeaders: json.orNull,
      /** The status of the delivery from now on. */
      status: text.narrow<DeliveryStatus>(),
      /** When to attempt it again. Null: never. */
      delayMs: float8.orNull,
    }),
  },
  text: `
    with ended as (
      delete from webhook_work w
      using $outcomes as o
      where w.delivery_id = o.delivery_id and w.claim_no = o.claim_no and w.lease_id is not distinct from $senderId
        and o.delay_ms is null
      returning w.project_id, w.lane, null::timestamptz as next_at, o.*
    ),
    postponed as (
      update webhook_work w
      set lease_id = null, attempts = w.attempts + 1, due_at = $now + o.delay_ms * interval '1 ms'
      from $outcomes as o
      where w.delivery_id = o.delivery_id and w.claim_no = o.claim_no and w.lease_id is not distinct from $senderId
        and o.delay_ms is not null
      returning w.project_id, w.lane, w.due_at as next_at, o.*
    ),
    settled as (select * from ended union all select * from postponed),
    delivery as (
      update webhook_delivery d
      set status = s.status, attempt_count = d.attempt_count + 1, last_status_code = s.status_code,
        next_attempt_at = s.next_at, updated_at = $now
      from settled s
      where d.id = s.delivery_id
      returning d.attempt_count, s.*
    ),
    attempt as (
      insert into webhook_attempt (id, delivery_id, attempt, outcome, status_code, response_snippet, error, duration_ms,
        request_headers, response_headers, created_at)
      select attempt_id, delivery_id, attempt_count, outcome, status_code, response_snippet, error, duration_ms,
        request_headers, response_headers, $now
      from delivery
    ),
    ordered as (
      select lane, outcome, n, max(n) filter (where outcome = 'succeeded') over (partition by lane) as last_success
      from settled
    ),
    luck as (
      select lane, bool_or(outcome = 'succeeded') as has_success, bool_or(outcome <> '${untried}') as was_tried,
        (count(*) filter (
          where outcome not in ('succeeded', '${untried}') and n > coalesce(last_success, -1)
        ))::int as failures
      from ordered group by lane
    ),
    locked as (
      select id from webhook_lane where id in (select lane from luck) order by id for update
    ),
    lane as (
      update webhook_lane l
      set failures = case when k.has_success then k.failures else l.failures + k.failures end,
        failing_since = case
          when k.has_success and k.failures = 0 then null
          when k.failures > 0 and (k.has_success or l.failures = 0) then $now
          else l.failing_since
        end,
        last_attempt_at = case when k.was_tried then $now else l.last_attempt_at end
      from luck k
      join locked on locked.id = k.lane
      where l.id = k.lane
      returning l.id, l.failures, l.failing_since
    )
    select s.delivery_id, s.project_id, s.lane, l.failures,
      coalesce(l.failures > 0 and l.failing_since <= $now - $disableAfterMs * interval '1 ms', false) as is_failing_long
    from settled s
    left join lane l on l.id = s.lane
  `,
});
