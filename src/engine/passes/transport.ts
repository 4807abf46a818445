/*
 * Invokes that came to nothing: nobody answered, or the answer only repeated what is recorded. One
 * number per run counts those in a row, `transport_failures`: above zero the unanswered, below zero
 * the repeats. One of the other kind begins anew, as any answer that brings something resets both.
 */

const transportCapMs = 30_000;

/** How many invokes in a row may go unanswered before the run fails (rulings 2). */
const silences = 10;
/**
 * How many answers in a row may repeat what is recorded: a runner that goes on like this does not
 * look at its memo.
 */
const repeats = 5;

export type InVain = 'silence' | 'repeat';

/** The count after one more of a kind. */
export const countInVain = (kind: InVain, count: number): number =>
  kind === 'silence' ? Math.max(count, 0) + 1 : Math.min(count, 0) - 1;

/** Whether the run is to fail by now. */
export const isSpent = (count: number): boolean => count >= silences || count <= -repeats;

/** The wait before such an invoke is sent again: doubles from `firstMs` up to 30 s. */
export const transportDelayMs = (firstMs: number, count: number): number =>
  Math.min(firstMs * 2 ** Math.min(Math.abs(count) - 1, 30), transportCapMs);
