import type { CallRef } from '../../engine/inference/index.ts';

const firstMs = 1_000;
const longestMs = 60_000;
const maxEntries = 10_000;

/**
 * Calls that could not be sent, by no fault of their provider. Each goes back for longer than the
 * time before: at first 1 s, at most a minute. Other processes keep counts of their own.
 */
export class Setbacks {
  readonly #counts = new Map<string, number>();

  /** Counts a setback. Answers in how many ms the call may be tried again. */
  add(call: CallRef): number {
    const count = this.#counts.get(nameOf(call)) ?? 0;
    if (this.#counts.size >= maxEntries) this.#counts.clear();
    this.#counts.set(nameOf(call), count + 1);
    return Math.min(firstMs * 2 ** count, longestMs);
  }

  /** The call was sent, or has ended. */
  forget(call: CallRef): void {
    this.#counts.delete(nameOf(call));
  }
}

const nameOf = ({ runId, stepIndex }: CallRef): string => `${runId}/${stepIndex}`;
