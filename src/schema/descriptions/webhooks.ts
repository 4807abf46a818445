import type { Texts, TypeTexts } from './texts.ts';

const kinds: TypeTexts = {
  RUN_CANCELLED: 'A run was cancelled.',
  RUN_FAILED: 'A run failed for good.',
  RUN_SUCCEEDED: 'A run ended with a result.',
  STEP_FAILED: 'A step failed, and no attempt of it follows.',
  STEP_SKIPPED: 'A step was skipped.',
  STEP_SUCCEEDED: 'A step ended with an output.',
};

const statuses: TypeTexts = {
  DEAD: 'The receiver refused it for good, so no attempt follows.',
  EXHAUSTED: 'All attempts failed, so none follows.',
  FAILED: 'The last attempt failed. Another one follows at `nextAttemptAt`.',
  PENDING: 'Waits for its first attempt, or the first after a redelivery.',
  SUCCEEDED: 'The receiver accepted it.',
};

const label = 'A label of at most 256 characters, unique in the project.';

/** Webhook endpoints and their deliveries. */
export const webhookTexts: Texts = {
  WebhookEventKind: kinds,
  WebhookDeliveryKind: { CUSTOM: 'A step sent a body of its own.', ...kinds },
  WebhookDeliveryStatus: {
    ...statuses,
    DELIVERING: 'A sending process has leased it: an attempt is under way, or comes next.',
  },
  RedeliverableStatus: statuses,
  WebhookAttemptOutcome: {
    CONNECTION_ERROR: 'No connection, or it broke before an answer.',
    HTTP_ERROR: 'The receiver answered with another status than 2xx.',
    SKIPPED: 'The endpoint was gone or disabled, so no request was made.',
    SUCCEEDED: 'The receiver answered with a status of 2xx.',
    TIMEOUT: 'The receiver did not answer in time.',
  },
  WebhookAttempt: {
    createdAt: 'When the attempt was recorded, at its end.',
    durationMs: 'Milliseconds from the request to the answer or the fault.',
    id: 'Unique per attempt.',
    outcome: 'The result, which decides whether a retry follows.',
    responseHeaders: 'The headers of the answer, by name. Null without one.',
    statusCode: 'The HTTP status of the answer. Null without one.',
  },
  WebhookDelivery: {
    app: 'The app of the run that caused it.',
    'attempts(limit)': 'Length of the list: 100 by default, at most 1000.',
    createdAt: 'When the change was recorded, in the same transaction.',
    eventKind: 'The change that it tells.',
    id: 'Sent as `X-Service-Delivery`, the same over all attempts.',
    lastStatusCode: 'The HTTP status of the last attempt. Null if it got no answer.',
    sourceRun: 'The run in its present state. Null if `sourceRunId` is null.',
    status: 'The progress of its attempts.',
    updatedAt: 'When an attempt or a redelivery last changed it.',
  },
  WebhookEndpoint: {
    createdAt: 'When it was created. Earlier changes are not told.',
    enabled: 'A disabled endpoint gets no deliveries.',
    eventKinds: 'The changes that it is told: at least one.',
    id: 'A UUID that begins with the time of creation.',
    name: 'A label, unique in the project. Null if it has none.',
    scheme: 'The way in which its deliveries are signed.',
    updatedAt: 'When a call, or the service, last changed it.',
  },
  WebhookEndpointScheme: {
    SERVICE: 'The header `X-Service-Signature` with a timestamp and HMAC-SHA256.',
    STANDARD: 'The headers of Standard Webhooks.',
  },
  WebhookDeliveryStatusCounts: {
    dead: 'Deliveries that the receiver refused for good, or that had no enabled endpoint.',
    exhausted: 'Deliveries that failed in all attempts.',
    failed: 'Deliveries that wait for a retry, or are being retried.',
    pending: 'Deliveries whose first attempt has not ended.',
    succeeded: 'Deliveries that the receiver accepted.',
  },
  WebhookFigures: {
    dead: 'Deliveries that the receiver refused for good.',
    exhausted: 'Deliveries that failed in all attempts.',
    succeeded: 'Deliveries that the receiver accepted.',
    total: 'Deliveries of every status together.',
  },
  WebhookEndpointBucket: { _: 'Deliveries to one endpoint that were created in one span of time.' },
  WebhookEndpointStats: {
    _: 'The health of one endpoint.',
    endpointId: 'The endpoint. It may be disabled.',
    lastAttemptAt: 'When the last attempt ended, of any time. Null if there was none.',
  },
  CreateWebhookEndpointInput: {
    _: 'An address that is to be told of changes.',
    eventKinds: 'At least one, each once.',
  },
  CreateWebhookEndpointPayload: {
    _: 'The endpoint with its secret.',
    webhookEndpoint: 'It takes deliveries from now on, if it is enabled.',
  },
  UpdateWebhookEndpointInput: {
    app: 'Only changes of this app. Null stands for all apps.',
    eventKinds: 'Replaces the list: at least one, each once.',
    id: 'The endpoint to change.',
    name: label,
    scheme: 'Counts from the next attempt on.',
    url: 'An http or https URL of at most 2048 characters.',
  },
  UpdateWebhookEndpointPayload: {
    _: 'The endpoint, with a new secret after a rotation.',
    webhookEndpoint: 'The endpoint after the change.',
  },
  DeleteWebhookEndpointInput: { _: 'The endpoint to delete.', id: 'An unknown id answers `NOT_FOUND`.' },
  DeleteWebhookEndpointPayload: { _: 'The deleted endpoint.' },
  RedeliverWebhookInput: {
    _: 'The delivery to attempt again.',
    id: 'A delivery of any status but `DELIVERING`.',
  },
  RedeliverWebhookPayload: {
    _: 'The delivery after the call.',
    webhookDelivery: 'It is `PENDING`, and due at once.',
  },
  RedeliverWebhooksInput: { endpointId: 'Only deliveries to this endpoint.' },
  RedeliverWebhooksPayload: {
    _: 'The counts of a bulk redelivery.',
    redelivered: 'Deliveries that are attempted again, the newest first.',
  },
  SendTestWebhookInput: { _: 'A sample for an endpoint.', endpointId: 'An enabled endpoint.' },
  SendTestWebhookPayload: {
    _: 'The sample that is on its way.',
    webhookDelivery: 'It is signed and retried as any other, and has `isTest`.',
  },
};
