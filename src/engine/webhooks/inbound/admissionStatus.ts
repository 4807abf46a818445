/** The outcome of the admission of an inbound message (2.10). */
export const sourceDeliveryStatuses = [
  'ingested',
  'deduped',
  'unauthorized',
  'invalid',
  'too_large',
  'misconfigured',
] as const;
export type SourceDeliveryStatus = (typeof sourceDeliveryStatuses)[number];

/** Why a message was `unauthorized`. */
export const failureReasons = [
  'missing_signature',
  'malformed_signature',
  'timestamp_out_of_tolerance',
  'signature_mismatch',
] as const;
export type FailureReason = (typeof failureReasons)[number];
