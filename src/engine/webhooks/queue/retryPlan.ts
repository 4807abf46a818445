import type { AttemptOutcome, DeliveryStatus } from '../deliveries/index.ts';

/** What an attempt came to. */
export interface AttemptResult {
  outcome: AttemptOutcome;
  /** If the receiver answered. */
  statusCode?: number | undefined;
  /** The delay that the receiver asked for. */
  retryAfterMs?: number | undefined;
}

/** What follows from an attempt: the delivery's status, and the delay until the next attempt. */
export interface Consequence {
  status: DeliveryStatus;
  /** Undefined: there is none. */
  delayMs: number | undefined;
}

/** A receiver may put off an attempt for this long. */
const maxRetryAfterMs = 3_600_000;

/** A receiver may ask for an attempt after this delay, even if the table has a longer one. */
const minRetryAfterMs = 1_000;

const jitter = 0.1;

/** Client errors after which a further attempt may succeed. All others are final. */
const passingErrors: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/**
 * Decides what follows from an attempt. `spent` counts the attempts of the budget before this one.
 * `random` is from 0 to 1.
 */
export function planRetry(
  result: AttemptResult,
  { spent, backoffMs, random }: { spent: number; backoffMs: readonly number[]; random: number },
): Consequence {
  if (result.outcome === 'succeeded') return { status: 'succeeded', delayMs: undefined };
  if (isFinal(result)) return { status: 'dead', delayMs: undefined };
  const tableMs = backoffMs[spent];
  if (tableMs === undefined) return { status: 'exhausted', delayMs: undefined };
  return { status: 'failed', delayMs: askedMs(result, tableMs) * (1 + jitter * random) };
}

function isFinal({ outcome, statusCode = 0 }: AttemptResult): boolean {
  if (outcome !== 'http_error') return outcome === 'skipped';
  return statusCode >= 400 && statusCode < 500 && !passingErrors.has(statusCode);
}

function askedMs({ retryAfterMs }: AttemptResult, tableMs: number): number {
  if (retryAfterMs === undefined) return tableMs;
  return Math.min(maxRetryAfterMs, Math.max(retryAfterMs, Math.min(tableMs, minRetryAfterMs)));
}
