export {
  type DeliveryKind,
  type DeliveryStatus,
  deliveryKinds,
  deliveryStatuses,
  type StoredStatus,
  storedStatuses,
} from './delivery.ts';
export { type AttemptOutcome, attemptOutcomes } from './outcome.ts';
export type { DeliveryFilter } from './reads/deliveryFilter.ts';
export type { DeliveryRow } from './reads/deliveryRow.ts';
export { type DeliveryListQuery, listDeliveries } from './reads/listDeliveries.ts';
export { type AttemptRow, selectDeliveryAttempts } from './sql/selectDeliveryAttempts.ts';
export { type DeliveryBody, selectDeliveryBodies } from './sql/selectDeliveryBodies.ts';
export { selectDeliveryRows } from './sql/selectDeliveryRows.ts';
export { selectRunDeliveries } from './sql/selectRunDeliveries.ts';
