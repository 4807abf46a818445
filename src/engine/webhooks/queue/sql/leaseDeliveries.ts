import { instant, int, statement, uuid } from '../../../db/index.ts';
import type { EndpointScheme } from '../../config/index.ts';
import type { DeliveryKind } from '../../deliveries/index.ts';

/** A lane, and one of the deliveries that were leased in it, if any. */
export interface LeasedRow {
  lane: string;
  failures: number;
  /** How many deliveries of the lane could be leased. */
  asked: number;
  /** False if others found the sender dead. Then it leases nothing. */
  isAlive: boolean;
  deliveryId: string | null;
  projectId: string;
  app: string;
  endpointId: string | null;
  url: string;
  eventKind: DeliveryKind;
  scheme: EndpointScheme | null;
  /** The number of this attempt. */
  attempt: number;
  /** The attempts of the present budget that have ended. */
  spent: number;
  claimNo: number;
  /** Why no request is to be made. */
  skip: 'deleted' | 'disabled' | null;
}

/** After this many failures in a row, a lane has one attempt at a time. */
export const probeAfter = 5;

/** A disabled endpoint gets no requests, so its deliveries are skipped many at a time. */
const skippedAtOnce = 200;

/**
 * Leases due deliveries of lanes that the transaction has locked, the oldest of each lane first.
 * Leases of all senders count against the ceiling of a lane. A sender that is alone in a lane may
 * lease `$ahead` more, and executes at most `$ceiling` of its leases at once. So the ceiling holds
 * for the requests of all senders: leases of two senders in one lane never exceed it together.
 *
 * The sender's row is held, so that others cannot free its leases between this statement and its
 * commit (`lockSenders`).
 *
 * An endpoint's deliveries go to its present URL, not to that as of the change.
 *
 * The comparison of pairs makes `webhook_work_lane_idx` the only index that gives the order. With
 * `lane = s.id`, the planner may take the index by due time, and read the backlogs of other lanes.
 * The array keeps the planner from joining `chosen` with the whole table: it cannot know how few
 * rows the lateral part yields.
 */
export const leaseDeliveries = statement<LeasedRow>('leaseDeliveries').writes({
  params: {
    now: instant,
    senderId: uuid,
    laneIds: uuid.list,
    ceiling: int,
    ahead: int,
    /** How many deliveries of one lane at most. */
    perLane: int,
  },
  text: `
    with sender as (select id from webhook_sender where id = $senderId for key share),
    lane as (
      select l.id, l.failures, coalesce(not e.enabled, false) as is_disabled, leases.leased, leases.is_shared
      from webhook_lane l
      left join webhook_endpoint e on e.id = l.id
      cross join lateral (
        select count(*) as leased, coalesce(bool_or(w.lease_id <> $senderId), false) as is_shared
        from webhook_work w where w.lane = l.id and w.lease_id is not null
      ) leases
      where l.id = any($laneIds)
    ),
    share as (
      select id, failures, least($perLane, greatest(0, case
        when is_disabled then ${skippedAtOnce}
        when failures >= ${probeAfter} then 1
        when is_shared then $ceiling
        else $ceiling + $ahead
      end - leased))::int as asked
      from lane
    ),
    chosen as (
      select w.delivery_id
      from share s
      cross join lateral (
        select delivery_id from webhook_work
        where lease_id is null and (lane, due_at) >= (s.id, '-infinity') and (lane, due_at) <= (s.id, $now)
        order by lane, due_at, delivery_id
        limit s.asked
        for update skip locked
      ) w
      where exists (select from sender)
    ),
    leased as (
      update webhook_work w
      set lease_id = $senderId, claim_no = w.claim_no + 1
      where w.delivery_id = any(array(select delivery_id from chosen))
      returning w.delivery_id, w.lane, w.claim_no, w.attempts, w.due_at
    ),
    found as (
      select l.*, d.project_id, d.app, d.endpoint_id, d.url, d.event_kind, d.attempt_count
      from leased l join webhook_delivery d on d.id = l.delivery_id
    ),
    moved as (
      update webhook_delivery d
      set url = e.url
      from found f
      join webhook_endpoint e on e.id = f.endpoint_id
      where d.id = f.delivery_id and f.url <> e.url
    )
    select s.id as lane, s.failures, s.asked, exists (select from sender) as is_alive,
      f.delivery_id, f.project_id, f.app, f.endpoint_id, coalesce(e.url, f.url) as url, f.event_kind, e.scheme,
      f.attempt_count + 1 as attempt, f.attempts as spent, f.claim_no,
      case
        when f.endpoint_id is not null and e.id is null then 'deleted'
        when not e.enabled then 'disabled'
      end as skip
    from share s
    left join found f on f.lane = s.id
    left join webhook_endpoint e on e.id = f.endpoint_id
    order by f.due_at, f.delivery_id
  `,
});
