/**
 * Marks of runs that must stop before their next step (P6). The pass of such a run may arrive
 * later, by a claim in progress. An unused mark expires. The number of marks is bounded: without
 * its mark, the next commit of the run finds it paused.
 */
export class PauseMarks {
  readonly #max: number;
  /** By run: when the mark was set, on the monotonic clock; the oldest first. */
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

  /** Removes the mark of a run. Answers whether there was a mark. */
  take(runId: string): boolean {
    return this.#marks.delete(runId);
  }

  /** Expires marks that were set before that moment, except those of runs that are held. */
  expire(beforeMs: number, isHeld: (runId: string) => boolean): void {
    for (const [runId, sinceMs] of this.#marks) {
      if (sinceMs >= beforeMs) return;
      if (!isHeld(runId)) this.#marks.delete(runId);
    }
  }
}
