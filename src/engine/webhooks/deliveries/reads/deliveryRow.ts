import type { DeliveryKind, DeliveryStatus } from '../delivery.ts';

/** A delivery without its body (2.9). */
export interface DeliveryRow {
  id: string;
  app: string;
  endpointId: string | null;
  url: string;
  eventKind: DeliveryKind;
  /** The run that caused it, also for a custom send. */
  runId: string | null;
  isTest: boolean;
  status: DeliveryStatus;
  attemptCount: number;
  lastStatusCode: number | null;
  nextAttemptAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** SQL: whether a sender has leased it. Only unfinished deliveries have work to look at. */
export const isInFlightSql = `d.status in ('pending', 'failed')
    and exists (select from webhook_work w where w.delivery_id = d.id and w.lease_id is not null)`;

/** The columns of a `DeliveryRow`, of delivery `d`. */
export const deliveryColumns = `d.id, d.app, d.endpoint_id, d.url, d.event_kind, d.run_id, d.is_test,
  case when ${isInFlightSql} then 'delivering' else d.status end as status,
  d.attempt_count, d.last_status_code, d.next_attempt_at, d.created_at, d.updated_at`;
