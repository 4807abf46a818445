import { type Duration, limitMs } from '../duration.ts';
import { StepTimeoutError } from '../errors.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { checkFields, described, MisuseError } from '../misuse.ts';
import { backoffs, type RetryPolicy } from '../protocol.ts';
import { Deadline } from '../timer.ts';
import { report } from './opcodeText.ts';
import type { StepWork } from './pass.ts';

/** The argument of a step's body. */
export interface StepInfo {
  /** The step's name in this run: its id, or `id:1`, `id:2` for repeated uses of an id. */
  readonly name: string;
  /** Starts at 1. */
  readonly attempt: number;
  /**
   * Aborts when the result no longer counts: the attempt timed out, the run was cancelled, or the
   * connection was lost.
   */
  readonly signal: AbortSignal;
}

/** The limits of one step. */
export interface StepOptions {
  /**
   * The time limit of each attempt. Default: the workflow's `stepTimeout`. An attempt that takes
   * longer fails with a `StepTimeoutError`.
   */
  timeout?: Duration | undefined;
  /** Fields that replace those of the workflow's retry policy. */
  retry?: RetryPolicy | undefined;
}

/** A fake in place of a step's body, in a test; undefined if the body itself is to run. */
export type FakeOf = (name: string) => ((info: StepInfo & { readonly input: unknown }) => unknown) | undefined;

/** The context that a pass gives its steps. */
export interface StepSurroundings {
  /** The next attempt of each step that failed before, by hashed id. */
  readonly attempts: Record<string, number>;
  readonly signal: AbortSignal;
  /** The time limit of steps without one of their own. */
  readonly stepTimeoutMs: number | undefined;
  /** Only in tests. */
  readonly fakeOf?: FakeOf | undefined;
}

// The signatures of `run` relate the input to the body; here both are untyped.
export type RunArguments = [...options: [] | [StepOptions & { input?: unknown }], body: (...args: never[]) => unknown];

/** A step with a body, as its caller described it. */
export interface BodyStep<Info> {
  readonly call: (info: Info) => unknown;
  readonly input: unknown;
  readonly timeoutMs: number | undefined;
  readonly retry: RetryPolicy | undefined;
}

export const stepInfo = (name: string, id: string, { attempts, signal }: StepSurroundings): StepInfo => ({
  name,
  attempt: attempts[id] ?? 1,
  signal,
});

/** Reads the arguments of a step with a body. Throws a `TypeError` for invalid ones. */
export function bodyStep<Info extends StepInfo>(
  id: string,
  args: RunArguments,
  surroundings: StepSurroundings,
): BodyStep<Info> {
  const body: unknown = args.at(-1);
  if (typeof body !== 'function') {
    throw new MisuseError(
      `step "${id}" needs a body: a function, as the last argument, that does its work; it is ${described(body)}`,
    );
  }
  const call = asDeclared<(...args: unknown[]) => unknown>(body);
  const options: unknown = args.length === 1 ? {} : args[0];
  checkFields(options, `the options of step "${id}" must be an object, such as { timeout: '30s' }`);
  const { input, timeout, retry } = asDeclared<StepOptions & { input?: unknown }>(options);
  const own = 'input' in options ? (info: Info) => call(input, info) : (info: Info) => call(info);
  return {
    call: (info) => {
      const fake = surroundings.fakeOf?.(info.name);
      return fake === undefined ? own(info) : fake({ ...info, input });
    },
    input,
    timeoutMs: timeout === undefined ? surroundings.stepTimeoutMs : limitMs(timeout, `the timeout of step "${id}"`),
    retry: retry === undefined ? undefined : checkedRetry(retry, `the retry of step "${id}"`),
  };
}

function checkedRetry(retry: RetryPolicy, field: string): RetryPolicy {
  checkFields(retry, `${field} must be an object, such as { maxAttempts: 3 }`);
  for (const [name, value] of Object.entries(retry)) {
    const isValid = value === undefined || retryFields.get(name)?.(value) === true;
    if (!isValid) throw new MisuseError(`${field} has an invalid ${name}: ${described(value)}`);
  }
  return retry;
}

const isDelay = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const retryFields = new Map<string, (value: unknown) => boolean>([
  ['maxAttempts', (value) => Number.isInteger(value) && Number(value) >= 1],
  ['backoff', (value) => backoffs.some((backoff) => backoff === value)],
  ['initialDelayMs', isDelay],
  ['maxDelayMs', isDelay],
]);

/**
 * Calls the body, and returns its result and the input, if any. A body that exceeds its time limit
 * goes on unobserved, because JavaScript cannot stop it: its result is ignored.
 */
export async function callBody<Info extends StepInfo>(
  { call, input, timeoutMs }: BodyStep<Info>,
  info: Info,
): Promise<{ input: unknown; data: unknown }> {
  if (timeoutMs === undefined) return { input, data: await call(info) };
  using deadline = new Deadline(timeoutMs);
  const late = new Promise<never>((_resolve, reject) => {
    const message = `step "${info.name}" did not finish within ${timeoutMs} ms`;
    deadline.signal.addEventListener('abort', () => reject(new StepTimeoutError(info.name, { message })));
  });
  const signal = AbortSignal.any([info.signal, deadline.signal]);
  return { input, data: await Promise.race([call({ ...info, signal }), late]) };
}

export function runWork(step: BodyStep<StepInfo>, surroundings: StepSurroundings): StepWork<never> {
  return {
    kind: 'StepRun',
    retry: step.retry,
    read: (data) => asDeclared(data),
    perform: async (name, id) =>
      report({ op: 'StepRun', id, name }, true, await callBody(step, stepInfo(name, id, surroundings))),
  };
}
