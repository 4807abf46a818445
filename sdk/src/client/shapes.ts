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
export const isTriggered = has('workflow');
export const isWebhookEndpoint = has('id', 'url', 'eventKinds');
export const isWebhookSource = has('id', 'eventName');
export const isWebhookDelivery = has('id', 'status', 'eventKind');
export const isGraphqlAnswer = has('data');
export const isRegistered = has('runnerId', 'invokeSecret');
