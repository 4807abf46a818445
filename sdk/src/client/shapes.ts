/** Whether a body can be an answer of the service. Only its shape is checked; see `asDeclared`. */
export type Shape = (body: unknown) => boolean;

export const isList: Shape = (body) => Array.isArray(body);

const has =
  (...names: readonly string[]): Shape =>
  (body) =>
    typeof body === 'object' && body !== null && names.every((name) => name in body);

export const isRun = has('id', 'status');
export const isDiagnosis = has('verdict', 'causes', 'next');
export const isApproval = has('id', 'status');
export const isSentEvent = has('triggered');
export const isSentEvents = has('results');
export const isLoggedEvent = has('id', 'receivedAt', 'triggered');
export const isRunStats = has('total', 'byStatus');
export const isBulkReplay = has('matched', 'replayed');
export const isBulkCancel = has('matched', 'cancelled');
export const isFlowState = has('concurrency', 'scopes');
export const isTriggered = has('workflow');
export const isWebhookEndpoint = has('id', 'url', 'eventKinds');
export const isWebhookSource = has('id', 'eventName');
export const isWebhookDelivery = has('id', 'status', 'eventKind');
export const isProviderCheck = has('provider', 'ok');
export const isAiSpend = has('totals', 'byModel');
export const isGraphqlAnswer = has('data');
export const isRegistered = has('runnerId', 'invokeSecret');
