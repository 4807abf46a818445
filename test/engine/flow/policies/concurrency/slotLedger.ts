import { expect } from 'vitest';

/** Where a run counts: its scope of `concurrency`, if it has one, and its project. */
export interface Place {
  slot: string | undefined;
}

/**
 * What executes, by those who execute: a run counts from when its claim has come back until its
 * release is asked for, which is within its lease. So whatever passes a limit here has passed it in
 * the service.
 */
export class SlotLedger {
  readonly #executing = new Map<string, Place>();
  readonly #limits = new Map<string, number>();
  /** Runs by slot, in the order in which they were executed first. */
  readonly begun = new Map<string, string[]>();
  #ceiling = 0;
  /** Claims that met a limit, so that a trial can tell that it was one. */
  full = 0;

  get size(): number {
    return this.#executing.size;
  }

  /** From now on so many may begin. While it is being changed, the larger counts. */
  limit(slot: string, max: number): void {
    this.#limits.set(slot, max);
  }

  limitOf(slot: string): number {
    return this.#limits.get(slot) ?? Number.POSITIVE_INFINITY;
  }

  ceiling(max: number): void {
    this.#ceiling = max;
  }

  begin(runId: string, place: Place): void {
    expect(this.#executing.has(runId), `run ${runId} is executed twice at a time`).toBe(false);
    this.#executing.set(runId, place);
    if (this.#ceiling > 0) this.#atMost('the project', this.#executing.size, this.#ceiling);
    if (place.slot === undefined) return;
    const { slot } = place;
    const inSlot = [...this.#executing.values()].filter((each) => each.slot === slot).length;
    this.#atMost(slot, inSlot, this.limitOf(slot));
    const begun = this.begun.get(slot) ?? [];
    if (!begun.includes(runId)) this.begun.set(slot, [...begun, runId]);
  }

  end(runId: string): void {
    this.#executing.delete(runId);
  }

  #atMost(what: string, count: number, max: number): void {
    expect(count, `executing in ${what}`).toBeLessThanOrEqual(max);
    if (count === max) this.full += 1;
  }
}
