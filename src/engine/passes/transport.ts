/**
 * Invokes in a row that made no progress. At most one of the counts is above zero: an invoke of the
 * other kind starts a new series. Any other answer resets both.
 */
export interface Fruitless {
  /** Invokes without an answer. */
  unanswered: number;
  /** Invokes whose answer only repeated recorded steps. */
  repeats: number;
}

export const fruitful: Fruitless = { unanswered: 0, repeats: 0 };

/** The run fails after this many unanswered invokes in a row (rulings 2). */
const maxUnanswered = 10;
/** The run fails after this many repeats in a row: its runner does not look at the memo. */
const maxRepeats = 5;

/** Whether the run is to fail now. */
export const isSpent = ({ unanswered, repeats }: Fruitless): boolean =>
  unanswered >= maxUnanswered || repeats >= maxRepeats;

const longestDelayMs = 30_000;

/** The delay before the invoke is sent again: doubles from `firstMs` up to 30 s. */
export const transportDelayMs = (firstMs: number, { unanswered, repeats }: Fruitless): number =>
  Math.min(firstMs * 2 ** Math.min(unanswered + repeats - 1, 30), longestDelayMs);
