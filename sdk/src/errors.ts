import { type Duration, durationMs } from './duration.ts';
import type { StepError as WireError } from './protocol.ts';

/**
 * Thrown from a step, fails the run at once: no further attempt is made, whatever the retry policy
 * says.
 *
 * @example throw new NonRetriableError('the card was declined');
 */
export class NonRetriableError extends Error {
  override name = 'NonRetriableError';
}

/**
 * Thrown from a step or a handler, says when the next attempt may start, instead of the policy's
 * back-off. The attempt still counts.
 *
 * @example throw new RetryAfterError('rate limited', '30s');
 */
export class RetryAfterError extends Error {
  override name = 'RetryAfterError';
  readonly retryAfterMs: number;

  /**
   * `after`: a delay, or the instant from which to try again (one in the past, and less than
   * nothing, mean at once).
   */
  constructor(message: string, after: Duration | Date, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs =
      typeof after === 'string' ? durationMs(after, 'the delay of a RetryAfterError') : delayMs(after);
    // What a header held, perhaps. The attempt has failed all the same, and the next comes by the
    // retry policy.
    if (Number.isNaN(this.retryAfterMs)) throw new TypeError('RetryAfterError was given an invalid Date or number');
  }
}

const delayMs = (after: number | Date): number =>
  Math.max(0, after instanceof Date ? after.getTime() - Date.now() : Math.round(after));

/**
 * The run had reached its `cap` when it came to another AI step. The model was not called, and the
 * run fails at once.
 */
export class BudgetError extends Error {
  override name = 'BudgetError';
}

/**
 * A step that failed for good, as the handler sees it in a later pass: name, message and stack are
 * the original's.
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

/** A step was called inside the body of another: the inner one could not be made durable. */
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
 * The handler did not do what it did in an earlier pass of the same run, so its saved steps no
 * longer fit it.
 */
export class NonDeterminismError extends Error {
  override name = 'NonDeterminismError';
}

/** A value that JSON cannot carry without changing it, or that is too large or too deep. */
export class NotJsonError extends Error {
  override name = 'NotJsonError';
}

/**
 * Something that the client needs was not set, or cannot be what it is meant for: a `baseUrl`, a
 * key, a project.
 */
export class HoldfastConfigError extends Error {
  override name = 'HoldfastConfigError';
}

/**
 * The service answered a call with an error: its status, and the reason that it gave. Where what
 * answered is not the service, the message names the URL.
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
 * No answer to a call came: the service cannot be reached, or did not answer in time. The message
 * names the URL and the reason.
 */
export class HoldfastNetworkError extends Error {
  override name = 'HoldfastNetworkError';
}

/**
 * The service will not have this runner, so connecting again is of no use: a wrong key, another
 * protocol version.
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

/** A run did not finish within the time that `runs.wait` was given. It goes on. */
export class WaitTimeoutError extends Error {
  override name = 'WaitTimeoutError';
}
