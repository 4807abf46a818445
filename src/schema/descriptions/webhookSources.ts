import type { Texts } from './texts.ts';

const appOfEvents = 'The app of its events.';

/** Webhook sources and their messages. */
export const webhookSourceTexts: Texts = {
  WebhookSource: {
    createdAt: 'When it was created, with its address.',
    enabled: 'The address of a disabled source answers 404.',
    handshake: 'The confirmation of its address. Null if the sender needs none.',
    id: 'A UUID that begins with the time of creation.',
    name: 'A label, unique in the project. Null if it has none.',
    scheme: 'The signature that its messages must have.',
    updatedAt: 'When a call last changed it.',
  },
  WebhookSourceScheme: {
    GITHUB: 'The header `X-Hub-Signature-256`.',
    SERVICE: 'The header `X-Service-Signature` with a timestamp.',
    STANDARD: 'The headers of Standard Webhooks.',
    STRIPE: 'The header `Stripe-Signature` with a timestamp.',
  },
  WebhookHandshake: {
    META: 'A `GET` with `hub.challenge`, which is answered.',
    SLACK: 'A message `url_verification`, whose challenge is answered.',
  },
  WebhookFailureReason: {
    MALFORMED_SIGNATURE: 'The header of the scheme cannot be parsed.',
    MISSING_SIGNATURE: 'The header of the scheme is absent.',
    SIGNATURE_MISMATCH: 'No valid secret made the signature.',
    TIMESTAMP_OUT_OF_TOLERANCE: 'The signature is right, but too old or from the future.',
  },
  WebhookSourceDelivery: {
    attempts: 'The arrival, then its replays, oldest first.',
    createdAt: 'When the message arrived.',
    id: 'The `deliveryId` in the answer to the sender.',
    status: 'The outcome of the arrival. Replays have outcomes of their own.',
  },
  WebhookSourceDeliveryStatus: {
    DEDUPED: 'Verified, and dropped: the value at `dedupeKey` was seen within 24 hours.',
    INGESTED: 'Verified, and recorded as an event.',
    INVALID: 'Verified, and its body is no JSON that an event may have.',
    MISCONFIGURED: 'The secret of the source cannot be read.',
    TOO_LARGE: 'The body is larger than 1 MiB.',
    UNAUTHORIZED: 'The signature does not verify. `failureReason` tells why.',
  },
  WebhookSourceAttempt: {
    createdAt: 'When the attempt was recorded.',
    eventId: 'The event that it made. Null if it made none.',
    id: 'Unique per attempt.',
    runId: 'The first run that the event started. Null if it started none.',
    status: 'The outcome of this attempt.',
    trigger: 'The cause of the attempt.',
  },
  WebhookSourceAttemptTrigger: {
    _: 'The cause of an attempt.',
    INITIAL: 'The message arrived.',
    REPLAY: 'A call replayed the message.',
  },
  CreateWebhookSourceInput: {
    _: 'A sender whose messages are to become events.',
    handshake: 'The confirmation that the sender asks for. Absent: none.',
  },
  CreateWebhookSourcePayload: {
    _: 'The source with its secret.',
    webhookSource: 'Its `receiveUrl` is the address for the sender.',
  },
  UpdateWebhookSourceInput: {
    app: appOfEvents,
    dedupeKey: 'A dotted path into the body, such as `data.id`.',
    eventName: 'The name of the event that a verified message becomes.',
    exposeHeaders: 'Replaces the list: at most 20 names. No signature, no authorization.',
    handshake: 'The confirmation of its address.',
    id: 'The source to change.',
    name: 'A label, unique in the project.',
    scheme: 'Counts for messages that arrive from now on.',
    targetApp: 'Its events start workflows of this app only.',
  },
  UpdateWebhookSourcePayload: {
    _: 'The source, with a new secret after a rotation.',
    webhookSource: 'The source after the change.',
  },
  DeleteWebhookSourceInput: { _: 'The source to delete.', id: 'An unknown id answers `NOT_FOUND`.' },
  DeleteWebhookSourcePayload: { _: 'The deleted source.' },
  ReplaySourceDeliveryInput: { _: 'The message to make an event again.' },
  ReplaySourceDeliveryPayload: {
    _: 'The outcome of the replay. The status of the delivery stays.',
    delivery: 'The message with all its attempts.',
    deliveryId: 'The message that was replayed.',
    eventId: 'The new event. Null if the replay is `DEDUPED`.',
    runId: 'The first run that the event started. Null if it started none.',
    status: 'The outcome of this replay: `INGESTED` or `DEDUPED`.',
  },
};
