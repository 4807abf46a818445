/**
 * Whether an answer can be one of the service's. What it holds besides is taken on its word: see
 * `asDeclared`.
 */
export type Shape = (body: unknown) => boolean;

export const isList: Shape = (body) => Array.isArray(body);

/** An object that has all of these. */
const has =
  (...names: readonly string[]): Shape =>
  (body) =>
    typeof body === 'object' && body !== null && names.every((name) => name in body);

export const isRun = has('id', 'status');
export const isApproval = has('id', 'status');
export const isSentEvent = has('triggered');
export const isTriggered = has('workflow');
export const isRegistered = has('runnerId', 'invokeSecret');
