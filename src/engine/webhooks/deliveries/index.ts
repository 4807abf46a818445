export { type DeliveryKind, type DeliveryStatus, deliveryKinds, deliveryStatuses } from './delivery.ts';
