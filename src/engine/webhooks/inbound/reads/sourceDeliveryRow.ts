import type { SignatureFault } from '../../../signing/index.ts';
import type { SourceDeliveryStatus } from '../admissionStatus.ts';

/** A message that a source sent (2.10), without its headers and its body. */
export interface SourceDeliveryRow {
  id: string;
  sourceId: string;
  status: SourceDeliveryStatus;
  failureReason: SignatureFault | null;
  eventId: string | null;
  runId: string | null;
  createdAt: Date;
}

/** SQL: the columns of a `SourceDeliveryRow`. */
export const sourceDeliveryColumns = (alias: string): string =>
  ['id', 'source_id', 'status', 'failure_reason', 'event_id', 'run_id', 'created_at']
    .map((column) => `${alias}.${column}`)
    .join(', ');
