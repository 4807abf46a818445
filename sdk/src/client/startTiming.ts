import { type Duration, durationMs } from '../duration.ts';
import { instantMs } from '../instant.ts';
import type { FieldsOf } from '../knownFields.ts';

/** When runs start, and how long their starts hold. */
export interface StartTiming {
  /**
   * The earliest start of the runs: a date or its RFC 3339 text, at most 365 days ahead. A past
   * time starts them now.
   */
  startAt?: Date | string | undefined;
  /** The delay of the start, at most 365 days. Not together with `startAt`. */
  delay?: Duration | undefined;
  /**
   * A run that has not begun within this time is dropped: it is `cancelled`, with an error named
   * `StartExpiredError`. Counts from its start time. Default: without limit.
   */
  ttl?: Duration | undefined;
}

export const timingFields: FieldsOf<StartTiming> = { startAt: true, delay: true, ttl: true };

/** The fields of the request. `method` names the call in errors. */
export function timingOf(method: string, { startAt, delay, ttl }: StartTiming) {
  return {
    ...(startAt !== undefined && { startAt: new Date(instantMs(startAt, `startAt of ${method}`)).toISOString() }),
    ...(delay !== undefined && { delayMs: durationMs(delay, `delay of ${method}`) }),
    ...(ttl !== undefined && { ttlMs: durationMs(ttl, `ttl of ${method}`) }),
  };
}
