import { bigint, bool, statement, uuid } from '../../../db/index.ts';
import type { Sized } from '../../../paging/index.ts';
import type { AttemptTrigger, SourceDeliveryStatus } from '../admissionStatus.ts';
import { type SourceDeliveryRow, sourceDeliveryColumns } from '../reads/sourceDeliveryRow.ts';

/** Deliveries of a project by id, unordered, without bodies. */
export const selectSourceDeliveries = statement<SourceDeliveryRow>('selectSourceDeliveries').reads({
  params: { ids: uuid.list, projectId: uuid },
  text: `
    select ${sourceDeliveryColumns('d')} from webhook_source_delivery d
    where d.id = any($ids) and d.project_id = $projectId`,
});

/** The message of a delivery: JSON text, and the verified bytes. */
export interface StoredMessageRow extends Sized {
  id: string;
  requestHeaders: string | null;
  body: Buffer | null;
}

/** The messages of deliveries, unordered, in total at most `maxBytes`. */
export const selectStoredMessages = statement<StoredMessageRow>('selectStoredMessages').reads({
  params: { ids: uuid.list, projectId: uuid, requestHeaders: bool, body: bool, maxBytes: bigint },
  text: `select id, bytes, upto <= $maxBytes as "isRead",
           case when upto <= $maxBytes and $requestHeaders then request_headers end as request_headers,
           case when upto <= $maxBytes and $body then body end as body
         from (
           select sized.*, sum(bytes) over (rows unbounded preceding) as upto
           from (
             select id, request_headers, body,
               case when $requestHeaders then octet_length(request_headers::text) else 0 end
                 + case when $body then coalesce(octet_length(body), 0) else 0 end as bytes
             from webhook_source_delivery where id = any($ids) and project_id = $projectId
           ) sized
         ) bounded`,
});

/** An attempt to ingest a delivery (2.10). */
export interface SourceAttemptRow {
  deliveryId: string;
  id: string;
  attempt: number;
  trigger: AttemptTrigger;
  status: SourceDeliveryStatus;
  eventId: string | null;
  runId: string | null;
  actor: string | null;
  createdAt: Date;
}

/** The attempts of deliveries, in order. */
export const selectSourceAttempts = statement<SourceAttemptRow>('selectSourceAttempts').reads({
  params: { deliveryIds: uuid.list },
  text: `
    select delivery_id, id, attempt, trigger, status, event_id, run_id, actor, created_at
    from webhook_source_attempt where delivery_id = any($deliveryIds) order by delivery_id, attempt`,
});
