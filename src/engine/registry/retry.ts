import { backoffs } from '@holdfast/sdk/protocol';
import type { ResolvedRetry } from '../model/index.ts';
import { maxInt32 } from '../settings.ts';
import { type DefinitionRef, malformed } from './names.ts';

const jitterShare = 0.1;

/** A year, the maximum delay before a retry. Longer delays are sleeps. */
export const maxRetryDelayMs = 31_536_000_000;

/** The default policy, also for runs without a definition: a single attempt. */
export const defaultRetry: ResolvedRetry = {
  maxAttempts: 1,
  backoff: 'exponential',
  initialDelayMs: 1000,
  maxDelayMs: 300_000,
};

/**
 * The delay after attempt `attempt` (from 1) failed, in ms. Shaped, capped, plus up to 10 % so that
 * retries spread.
 */
export function retryDelayMs(retry: ResolvedRetry, attempt: number, random: () => number = Math.random): number {
  const shaped = shapedDelay(retry, attempt);
  return Math.round(Math.min(shaped, retry.maxDelayMs) * (1 + jitterShare * random()));
}

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

/**
 * Reads a retry policy. `base` has the fields that it leaves out; by default one attempt,
 * exponential, from 1 s to 5 min.
 */
export function parseRetry(value: unknown, workflow: string | undefined, base = defaultRetry): ResolvedRetry {
  if (value === undefined || value === null) return base;
  if (typeof value !== 'object' || Array.isArray(value))
    throw malformed({ workflow, field: 'retry' }, 'must be an object');
  const retry: Record<string, unknown> = { ...value };
  const ref = (field: string): DefinitionRef => ({ workflow, field: `retry.${field}` });
  const unknown = Object.keys(retry).find((field) => !Object.hasOwn(defaultRetry, field));
  if (unknown !== undefined) throw malformed(ref(unknown), 'is unknown');
  const backoff = backoffs.find((each) => each === (retry['backoff'] ?? base.backoff));
  if (!backoff) throw malformed(ref('backoff'), `must be one of ${backoffs.join(', ')}`);
  return {
    maxAttempts: integer(retry['maxAttempts'] ?? base.maxAttempts, 1, maxInt32, ref('maxAttempts')),
    backoff,
    initialDelayMs: integer(retry['initialDelayMs'] ?? base.initialDelayMs, 0, maxRetryDelayMs, ref('initialDelayMs')),
    maxDelayMs: integer(retry['maxDelayMs'] ?? base.maxDelayMs, 0, maxRetryDelayMs, ref('maxDelayMs')),
  };
}

function integer(value: unknown, min: number, max: number, ref: DefinitionRef): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw malformed(ref, `must be an integer from ${min} to ${max}`);
}
