const texts = {
  missing_signature: 'the message has no signature',
  malformed_signature: 'the signature of the message is malformed',
  timestamp_out_of_tolerance: 'the message was signed too long ago, or by a clock that is ahead',
  signature_mismatch: 'the signature does not match the message and the secret',
  invalid_body: 'the message is signed, but its body is no webhook of the service',
} as const;

export type VerificationFailure = keyof typeof texts;

/** Thrown for a message that is not a valid webhook. Answer it with status 400 or 401. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
  readonly reason: VerificationFailure;

  constructor(reason: VerificationFailure) {
    super(texts[reason]);
    this.reason = reason;
  }
}
