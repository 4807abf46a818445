export {
  type FailureReason,
  failureReasons,
  type SourceDeliveryStatus,
  sourceDeliveryStatuses,
} from './admissionStatus.ts';
