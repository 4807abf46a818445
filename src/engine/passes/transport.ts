/**
 * Invokes in a row that made no progress. At most one of the counts is above zero: an invoke of the
 * other kind starts a new series. Any other answer resets both.
 */
export interface Fruitless {
  /** Invokes without an answer. A time-out counts as several. */
  unanswered: number;
  /** Invokes whose handler reached none of the saved steps. */
  repeats: number;
}

export const fruitful: Fruitless = { unanswered: 0, repeats: 0 };

/** The run fails after this many unanswered invokes in a row (rulings 2). */
export const maxUnanswered = 10;
/** A time-out counts as this many of them, because the handler may have run all that time. */
const timeoutWeight = 3;

/** The count after one more invoke without an answer. */
export const oneMoreUnanswered = ({ unanswered }: Fruitless, hasTimedOut: boolean): Fruitless => ({
  unanswered: unanswered + (hasTimedOut ? timeoutWeight : 1),
  repeats: 0,
});

/** Whether the run is to fail now, for want of an answer. */
export const isSpent = ({ unanswered }: Fruitless): boolean => unanswered >= maxUnanswered;

const longestDelayMs = 30_000;

/**
 * The delay before the invoke is sent again: doubles from `firstMs` up to 30 s. An answer shows
 * that the runner is there, so the delay after a repeat does not grow.
 */
export const transportDelayMs = (firstMs: number, { unanswered }: Fruitless): number =>
  Math.min(firstMs * 2 ** Math.max(0, Math.min(unanswered - 1, 30)), longestDelayMs);
