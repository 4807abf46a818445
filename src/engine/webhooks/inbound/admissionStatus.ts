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

/** The outcomes of messages that verified. Only these store the body. */
export const verifiedStatuses = ['ingested', 'deduped', 'invalid'] as const satisfies readonly SourceDeliveryStatus[];
export type VerifiedStatus = (typeof verifiedStatuses)[number];
export type UnverifiedStatus = Exclude<SourceDeliveryStatus, VerifiedStatus>;

/** What caused an attempt: the message itself, or a replay (2.10). */
export const attemptTriggers = ['initial', 'replay'] as const;
export type AttemptTrigger = (typeof attemptTriggers)[number];
