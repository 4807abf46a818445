import { statement, uuid } from '../../../db/index.ts';
import type { AttemptTrigger, SourceDeliveryStatus } from '../admissionStatus.ts';
import { type SourceDeliveryRow, sourceDeliveryColumns } from '../reads/sourceDeliveryRow.ts';

/** Deliveries of a project by id, unordered, without bodies. */
export const selectSourceDeliveries = statement<SourceDeliveryRow>('selectSourceDeliveries').reads({
  params: { ids: uuid.list, projectId: uuid },
  text: `
    select ${sourceDeliveryColumns('d')} from webhook_source_delivery d
    where d.id = any($ids) and d.project_id = $projectId`,
});

/** What a delivery holds besides the fields of the list: JSON text, and the verified bytes. */
export interface StoredMessageRow {
  id: string;
  requestHeaders: string;
  body: Buffer | null;
}

export const selectStoredMessage = statement<StoredMessageRow>('selectStoredMessage').reads({
  params: { id: uuid, projectId: uuid },
  text: `
    select id, request_headers, body from webhook_source_delivery where id = $id and project_id = $projectId`,
});

/** An attempt to ingest a delivery (2.10). */
export interface SourceAttemptRow {
  id: string;
  attempt: number;
  trigger: AttemptTrigger;
  status: SourceDeliveryStatus;
  eventId: string | null;
  runId: string | null;
  actor: string | null;
  createdAt: Date;
}

/** The attempts of a delivery, in order. */
export const selectSourceAttempts = statement<SourceAttemptRow>('selectSourceAttempts').reads({
  params: { deliveryId: uuid },
  text: `
    select id, attempt, trigger, status, event_id, run_id, actor, created_at
    from webhook_source_attempt where delivery_id = $deliveryId order by attempt`,
});
