export {
  type AttemptTrigger,
  attemptTriggers,
  type SourceDeliveryStatus,
  sourceDeliveryStatuses,
} from './admissionStatus.ts';
export { confirmAddress, type HandshakeAnswer } from './handshakes.ts';
export { openInbox, questionOf } from './inbox.ts';
export { type Receipt, receiveMessage } from './receiveMessage.ts';
