import type { StepError } from '@holdfast/sdk/protocol';
import { type JsonDocument, nestingExceeds, type RawJson, readJson } from '../json/index.ts';
import { maxRetryDelayMs } from '../registry/index.ts';
import type { EngineLimits } from '../settings.ts';
import type { StepState } from './memo.ts';

/**
 * The error that a handler threw. `stepId` is the step whose failure it was, as the runner says;
 * null: no step.
 */
export interface Thrown {
  error: StepError;
  stepId: string | null | undefined;
}

interface HandlerFailed extends Thrown {
  kind: 'handlerFailed';
  /** False: the handler says that no further attempt can succeed. */
  retriable: boolean;
  /** The delay that the handler asks for, instead of the policy's. */
  retryAfterMs: number | undefined;
  document: JsonDocument | undefined;
}

/** An answer as the contract reads it (4.10). */
export type PassAnswer =
  | { kind: 'complete'; data: RawJson | undefined; document: JsonDocument }
  | {
      kind: 'steps';
      count: number;
      /** The saved steps that the handler reached; undefined if the runner does not tell. */
      reached: number | undefined;
      document: JsonDocument;
    }
  | HandlerFailed
  | { kind: 'rejected'; error: StepError }
  | { kind: 'unreadable'; reason: string };

/** Reads an HTTP status and a body. Never throws: an unreadable body counts as no answer. */
export function readAnswer(status: number, body: string, limits: EngineLimits): PassAnswer {
  if (status >= 400 && status < 500) return { kind: 'rejected', error: rejection(status, body) };
  if (status !== 200 && status !== 206 && status !== 500) return unreadable(`runner answered with status ${status}`);
  if (nestingExceeds(body, limits.jsonDepth)) {
    return failed(`runner answer is nested deeper than ${limits.jsonDepth} levels`);
  }
  const document = tryRead(body);
  if (!document || !isObject(document.value)) return unreadable('runner answer is not a JSON object');
  if (status === 200) return { kind: 'complete', data: document.raw('data'), document };
  return status === 206 ? readSteps(document, document.value, limits) : readFailure(document, document.value);
}

const unreadable = (reason: string): PassAnswer => ({ kind: 'unreadable', reason });
const failed = (message: string): PassAnswer => ({
  kind: 'handlerFailed',
  error: { message },
  stepId: undefined,
  retriable: true,
  retryAfterMs: undefined,
  document: undefined,
});

function readSteps(document: JsonDocument, value: Record<string, unknown>, limits: EngineLimits): PassAnswer {
  const { opcodes, reached } = value;
  if (!Array.isArray(opcodes)) return unreadable('runner answer holds no opcodes');
  if (opcodes.length > limits.opcodesPerPass) {
    return failed(`runner answer holds ${opcodes.length} opcodes, the limit is ${limits.opcodesPerPass}`);
  }
  return { kind: 'steps', count: opcodes.length, reached: typeof reached === 'number' ? reached : undefined, document };
}

function readFailure(document: JsonDocument, value: Record<string, unknown>): PassAnswer {
  const error = readStepError(value['error']);
  if (!error) return unreadable('runner failed without saying why');
  const stepId = isObject(value['error']) ? value['error']['stepId'] : undefined;
  return {
    kind: 'handlerFailed',
    error,
    stepId: typeof stepId === 'string' || stepId === null ? stepId : undefined,
    retriable: value['retriable'] !== false,
    retryAfterMs: requestedDelay(value['retryAfterMs']),
    document,
  };
}

/** A `StepError` from outside; undefined when it is none. A bare string is taken as the message. */
export function readStepError(value: unknown): StepError | undefined {
  if (typeof value === 'string') return { message: value };
  if (!isObject(value) || typeof value['message'] !== 'string') return undefined;
  const { name, message, stack } = value;
  return {
    ...(typeof name === 'string' && { name }),
    message,
    ...(typeof stack === 'string' && { stack }),
  };
}

const maxReason = 2000;

/** The runner's reason for its refusal, or the status. */
function rejection(status: number, body: string): StepError {
  const document = tryRead(body.slice(0, 65_536));
  const said = document && isObject(document.value) ? readStepError(document.value['error']) : undefined;
  return { message: (said?.message ?? `runner rejected the request with status ${status}`).slice(0, maxReason) };
}

function tryRead(text: string): JsonDocument | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The delay that a runner asks for (`retryAfterMs`), at most a year; undefined if the value is no
 * delay.
 */
export function requestedDelay(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return undefined;
  return Math.min(value, maxRetryDelayMs);
}

/**
 * Whether a handler threw the final failure of one of its steps. If the runner names the step, that
 * decides. Otherwise errors are compared: a handler may have caught the failure and failed for
 * another reason, which a retry may resolve.
 */
export function isLetThrough({ error, stepId }: Thrown, failures: readonly StepState[]): boolean {
  if (stepId !== undefined) return failures.some((step) => step.stepId === stepId);
  return failures.some((step) => {
    const failed = step.error === undefined ? undefined : readStepError(JSON.parse(step.error));
    return failed !== undefined && isSameFailure(error, failed);
  });
}

/**
 * The same message, or one with a prefix of a runtime: `order failed: card declined`. Names do not
 * count, because runtimes use their own names for errors of steps.
 */
export const isSameFailure = (thrown: StepError, failed: StepError): boolean =>
  thrown.message === failed.message || (failed.message !== '' && thrown.message.endsWith(`: ${failed.message}`));
