import type { Backoff, RetryPolicy } from '../protocol.ts';

export interface ResolvedRetry {
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
}

const defaults: ResolvedRetry = { maxAttempts: 1, backoff: 'exponential', initialDelayMs: 1000, maxDelayMs: 300_000 };

/** A year. Longer delays are sleeps. */
const maxRetryDelayMs = 31_536_000_000;

/** A policy with the fields that it leaves out: those of `base`. */
export const resolvedRetry = (policy: RetryPolicy | undefined, base: ResolvedRetry = defaults): ResolvedRetry => ({
  maxAttempts: policy?.maxAttempts ?? base.maxAttempts,
  backoff: policy?.backoff ?? base.backoff,
  initialDelayMs: policy?.initialDelayMs ?? base.initialDelayMs,
  maxDelayMs: policy?.maxDelayMs ?? base.maxDelayMs,
});

/**
 * The delay after attempt `attempt` failed. Without the tenth at random that the service adds, so
 * that a test knows it.
 */
export const retryDelayMs = (retry: ResolvedRetry, attempt: number): number =>
  Math.round(Math.min(shapedDelay(retry, attempt), retry.maxDelayMs));

/** The delay before the next attempt; undefined if all are spent. */
export const nextAttemptInMs = (retry: ResolvedRetry, attempt: number): number | undefined =>
  attempt >= retry.maxAttempts ? undefined : retryDelayMs(retry, attempt);

function shapedDelay({ backoff, initialDelayMs }: ResolvedRetry, attempt: number): number {
  switch (backoff) {
    case 'fixed':
      return initialDelayMs;
    case 'linear':
      return initialDelayMs * attempt;
    case 'exponential':
      return initialDelayMs * 2 ** Math.min(attempt - 1, 60);
  }
}

/** The delay that a step or a handler asks for. */
export const requestedDelayMs = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : Math.min(Math.max(ms, 0), maxRetryDelayMs);
