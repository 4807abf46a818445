export { type DeliveryKind, type DeliveryStatus, deliveryKinds, deliveryStatuses } from './delivery.ts';
export { type DeliveryBody, selectDeliveryBodies } from './sql/selectDeliveryBodies.ts';
