export {
  type AttemptTrigger,
  attemptTriggers,
  type SourceDeliveryStatus,
  sourceDeliveryStatuses,
} from './admissionStatus.ts';
export { forgetHours } from './forgetHours.ts';
export { confirmAddress, type HandshakeAnswer } from './handshakes.ts';
export { openInbox, questionOf } from './inbox.ts';
export { listSourceDeliveries, type SourceDeliveryQuery } from './reads/listSourceDeliveries.ts';
export {
  type MessagePart,
  messageParts,
  readStoredMessages,
  type StoredMessage,
  withoutSecrets,
} from './reads/readStoredMessages.ts';
export type { SourceDeliveryRow } from './reads/sourceDeliveryRow.ts';
export { type Receipt, receiveMessage } from './receiveMessage.ts';
export { type Replayed, replaySourceDelivery } from './replaySourceDelivery.ts';
export { type SourceAttemptRow, selectSourceAttempts, selectSourceDeliveries } from './sql/selectSourceDeliveries.ts';
