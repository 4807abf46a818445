import type { ResolvedRetry } from '../model/index.ts';

const jitterShare = 0.1;

/** Retry policy of a run whose definition is gone. */
export const noRetry: ResolvedRetry = {
  maxAttempts: 1,
  backoff: 'exponential',
  initialDelayMs: 1000,
  maxDelayMs: 300_000,
};

/** The wait after attempt `attempt` (from 1) failed, in ms: by shape, capped, plus up to 10 % so that retries spread. */
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
