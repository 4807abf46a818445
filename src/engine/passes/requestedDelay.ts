const maxDelayMs = 31_536_000_000;

/** A runner's own wish for the next attempt (`retryAfterMs`), bounded to a year; undefined when it is no delay. */
export function requestedDelay(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return undefined;
  return Math.min(value, maxDelayMs);
}
