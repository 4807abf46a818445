export {
  type DeliveryKind,
  type DeliveryStatus,
  deliveryKinds,
  deliveryStatuses,
  type StoredStatus,
  storedStatuses,
} from './delivery.ts';
export type { RedeliverFilter } from './matchDeliveries.ts';
export { originLane } from './originLane.ts';
export { type AttemptOutcome, attemptOutcomes } from './outcome.ts';
export {
  type DeliveryStatusCounts,
  type EndpointCount,
  previewRedeliver,
  type RedeliverPreview,
} from './previewRedeliver.ts';
export type { DeliveryFilter } from './reads/deliveryFilter.ts';
export type { DeliveryRow } from './reads/deliveryRow.ts';
export {
  type DeliveryCounts,
  type EndpointBucket,
  type EndpointStats,
  maxEndpointBuckets,
  readEndpointBuckets,
  readEndpointStats,
} from './reads/endpointStats.ts';
export { type DeliveryListQuery, listDeliveries } from './reads/listDeliveries.ts';
export { redeliverDelivery } from './redeliverDelivery.ts';
export { type RedeliverCounts, redeliverMany } from './redeliverMany.ts';
export { sendTestDelivery } from './sendTest.ts';
export { type AttemptRow, selectDeliveryAttempts } from './sql/selectDeliveryAttempts.ts';
export { type DeliveryBody, selectDeliveryBodies } from './sql/selectDeliveryBodies.ts';
export { selectDeliveryRows } from './sql/selectDeliveryRows.ts';
export { selectRunDeliveries } from './sql/selectRunDeliveries.ts';
export { type DeliveryChange, tailDeliveries } from './tailDeliveries.ts';
