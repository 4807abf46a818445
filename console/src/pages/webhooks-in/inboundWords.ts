import type {
  WebhookFailureReason,
  WebhookSourceDeliveryStatus,
  WebhookSourceScheme,
} from '../../data/generated/graphql.ts';

const reasons: Record<WebhookFailureReason, string> = {
  MISSING_SIGNATURE: 'It has no header with a signature.',
  MALFORMED_SIGNATURE: 'The header with its signature cannot be parsed.',
  SIGNATURE_MISMATCH: 'No valid secret made its signature: the sender may have another secret.',
  TIMESTAMP_OUT_OF_TOLERANCE:
    'Its signature is right, but too old or from the future: a clock is off, or somebody sent the message again.',
};

const outcomes: Record<WebhookSourceDeliveryStatus, string> = {
  INGESTED: 'It verified, and became an event.',
  DEDUPED: 'It verified, and was dropped: the value at the dedupe key came already within 24 hours.',
  INVALID: 'It verified, and its body is no JSON that an event may have.',
  MISCONFIGURED: 'The secret of the source cannot be read. Rotate it.',
  TOO_LARGE: 'Its body is larger than 1 MiB.',
  UNAUTHORIZED: 'Its signature does not verify.',
};

/** What became of a message, in a sentence. An outcome of a newer service has none. */
export const outcomeText = (
  status: WebhookSourceDeliveryStatus,
  reason: WebhookFailureReason | null | undefined,
): string => (reason && reasons[reason]) ?? outcomes[status] ?? '';

/** Why a message cannot be replayed; undefined if it can. */
export const replayRefusal = (status: WebhookSourceDeliveryStatus): string | undefined =>
  status === 'INGESTED' || status === 'DEDUPED' ? undefined : 'only verified messages can be replayed';

export const schemeLabels: Record<WebhookSourceScheme, string> = {
  SERVICE: 'X-Service-Signature',
  STANDARD: 'Standard Webhooks',
  GITHUB: 'GitHub (X-Hub-Signature-256)',
  STRIPE: 'Stripe (Stripe-Signature)',
};
