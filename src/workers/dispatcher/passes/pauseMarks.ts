/**
 * Runs that must stop before their next step, as this process was told (P6). Their passes may still
 * be on their way here. An unused mark expires. Bounded: if a mark is dropped, the next commit of
 * the run finds it paused.
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

  /** Removes the mark of a run. Answers whether there was one. */
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
