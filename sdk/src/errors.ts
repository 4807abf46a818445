import { type Duration, durationMs } from './duration.ts';
import type { StepError as WireError } from './protocol.ts';

/**
 * Throw it from a step to fail the run at once, without further attempts, whatever the retry
 * policy.
 *
 * @example
 * ```ts
 * throw new NonRetriableError('the card was declined');
 * ```
 */
export class NonRetriableError extends Error {
  override name = 'NonRetriableError';
}

/** A part of an event's data that does not fit its schema. */
export interface EventIssue {
  /** Where it is, such as `data.items[2].cents`. */
  readonly path: string;
  readonly message: string;
}

/**
 * Thrown for an event whose data does not fit the schema of its type: by the call that would send
 * it, or in the run that received it, which then fails without further attempts.
 */
export class EventSchemaError extends NonRetriableError {
  override name = 'EventSchemaError';
  readonly event: string;
  readonly issues: readonly EventIssue[];

  constructor(event: string, issues: readonly EventIssue[]) {
    const some = issues.slice(0, issuesShown).map(({ path, message }) => `${path}: ${message}`);
    const more = issues.length > some.length ? `; and ${issues.length - some.length} more` : '';
    super(`event "${event}" does not fit its schema: ${some.join('; ')}${more}`);
    this.event = event;
    this.issues = issues;
  }
}

const issuesShown = 5;

/**
 * Throw it from a step or a handler to set the delay before the next attempt. The attempt still
 * counts.
 *
 * @example
 * ```ts
 * throw new RetryAfterError('rate limited', '30s');
 * ```
 */
export class RetryAfterError extends Error {
  override name = 'RetryAfterError';
  readonly retryAfterMs: number;

  /**
   * `after` is a delay, or the time of the next attempt. Past times and negative delays mean at
   * once.
   */
  constructor(message: string, after: Duration | Date, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs =
      typeof after === 'string' ? durationMs(after, 'the delay of a RetryAfterError') : delayMs(after);
    // The value may come from a response header. The attempt has failed anyway, and the retry
    // policy applies.
    if (Number.isNaN(this.retryAfterMs)) throw new TypeError('RetryAfterError was given an invalid Date or number');
  }
}

const delayMs = (after: number | Date): number =>
  Math.max(0, after instanceof Date ? after.getTime() - Date.now() : Math.round(after));

/**
 * Thrown when the run had reached its `cap` before an AI step. The model was not called, and the
 * run fails at once.
 */
export class BudgetError extends Error {
  override name = 'BudgetError';
}

/**
 * Thrown when the model of an agent still called tools after `maxTurns` calls. These tools were not
 * executed.
 */
export class MaxTurnsError extends Error {
  override name = 'MaxTurnsError';
}

/**
 * Thrown in later passes for a step that failed for good, with the original name, message and
 * stack.
 */
export class StepError extends Error {
  override name: string;
  readonly step: string;

  constructor(step: string, error: WireError) {
    super(error.message);
    this.name = error.name ?? 'Error';
    this.step = step;
    if (error.stack !== undefined) this.stack = error.stack;
  }
}

/**
 * An attempt of a step took longer than its `timeout`, or the workflow's `stepTimeout`. The handler
 * can catch it once all attempts are spent.
 */
export class StepTimeoutError extends StepError {
  constructor(step: string, error: WireError) {
    super(step, { ...error, name: timeoutName });
  }
}

const timeoutName = 'StepTimeoutError';

/** The error of a saved failure. */
export const savedError = (step: string, error: WireError): StepError =>
  error.name === timeoutName ? new StepTimeoutError(step, error) : new StepError(step, error);

/**
 * Thrown when a step is called inside the body of another step: the inner step would not be
 * durable.
 */
export class NestedStepError extends Error {
  override name = 'NestedStepError';

  constructor(inner: string, outer: string) {
    super(
      `step "${inner}" was called inside step "${outer}": a step cannot hold another. ` +
        'Call it from the handler, after the outer step has returned.',
    );
  }
}

/**
 * Thrown when the handler diverged from an earlier pass of the same run, so its saved steps do not
 * fit.
 */
export class NonDeterminismError extends Error {
  override name = 'NonDeterminismError';
}

/** Thrown for a value that JSON would change, or that is too large or too deep. */
export class NotJsonError extends Error {
  override name = 'NotJsonError';
}

/** Thrown when an option of the client is missing or invalid: a `baseUrl`, a key, a project. */
export class HoldfastConfigError extends Error {
  override name = 'HoldfastConfigError';
}

/**
 * Thrown when the service answered a call with an error; has the status and the reason. If another
 * server answered, the message names the URL.
 */
export class HoldfastApiError extends Error {
  override name = 'HoldfastApiError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Thrown when a call got no answer: the service is unreachable or timed out. The message names the
 * URL and the reason.
 */
export class HoldfastNetworkError extends Error {
  override name = 'HoldfastNetworkError';
}

/**
 * Thrown when the service refuses this runner for good: a wrong key, or another protocol version.
 */
export class HoldfastConnectError extends Error {
  override name = 'HoldfastConnectError';
  /** The close code of the protocol, or the HTTP status of the refused upgrade. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Thrown when a run did not finish within the `timeoutMs` of `runs.wait`. The run continues. */
export class WaitTimeoutError extends Error {
  override name = 'WaitTimeoutError';
}
