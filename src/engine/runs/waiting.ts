/** The reasons why an unfinished run does not execute. */
export const waitKinds = [
  'runner',
  'transport',
  'retry',
  'sleep',
  'event',
  'child',
  'approval',
  'inference',
  'slot',
  'start',
] as const;
export type WaitKind = (typeof waitKinds)[number];

/** An error as a waiting run tells it: without a stack, and cut. */
export interface WaitError {
  name?: string | undefined;
  message: string;
}

/** Why a run waits. */
export interface WaitingFor {
  kind: WaitKind;
  /** When the wait ends by itself; undefined: never. */
  until?: Date | undefined;
  /** The step that waits; undefined if the whole run does. */
  step?: string | undefined;
  /** The failure because of which the run waits. */
  error?: WaitError | undefined;
}

const kindsByOp: ReadonlyMap<string, WaitKind> = new Map([
  ['Sleep', 'sleep'],
  ['SleepUntil', 'sleep'],
  ['WaitForEvent', 'event'],
  ['RunWorkflow', 'child'],
  ['Approval', 'approval'],
  ['Infer', 'inference'],
]);

/** The reason why an open step waits; undefined for a kind of step that nobody need know of. */
export const waitKindOf = ({ op, willRetry }: { op: string; willRetry: boolean }): WaitKind | undefined =>
  willRetry ? 'retry' : kindsByOp.get(op);

/** The readable part of an error. */
export function waitError(error: unknown): WaitError | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { name, message }: { name?: unknown; message?: unknown } = error;
  if (typeof message !== 'string') return undefined;
  const text = cut(message);
  return typeof name === 'string' ? { name: cut(name), message: text } : { message: text };
}

/**
 * A reason without addresses. Runs are read with public keys, too, which must not learn where
 * runners are.
 */
export const withoutAddresses = (reason: string): string =>
  reason
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '(address)')
    .replace(/\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b/g, '(address)');

const cut = (text: string): string => (text.length > maxMessage ? `${text.slice(0, maxMessage - 1)}…` : text);

const maxMessage = 1_000;
