/**
 * Runs that are to stop before their next step, as this process was told: also those whose pass is
 * still on its way here. A mark that nobody meets is forgotten. Bounded: what is pushed out is
 * found paused by its next commit.
 */
export class PauseMarks {
  readonly #max: number;
  /** Since when, on the monotonic clock; the oldest first. */
  readonly #marks = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  add(runId: string, nowMs: number): void {
    this.#marks.delete(runId);
    this.#marks.set(runId, nowMs);
    const [oldest] = this.#marks.keys();
    if (this.#marks.size > this.#max && oldest !== undefined) this.#marks.delete(oldest);
  }

  /** Whether the run is marked, and no more after this. */
  take(runId: string): boolean {
    return this.#marks.delete(runId);
  }

  /** Forgets marks from before that moment, except of runs that are held. */
  forget(beforeMs: number, isHeld: (runId: string) => boolean): void {
    for (const [runId, sinceMs] of this.#marks) {
      if (sinceMs >= beforeMs) return;
      if (!isHeld(runId)) this.#marks.delete(runId);
    }
  }
}
