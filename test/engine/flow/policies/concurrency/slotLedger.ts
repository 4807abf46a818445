import { expect } from 'vitest';

/** The limits that count a run: its `concurrency` scope, if it has one, and its project. */
export interface Scopes {
  slot: string | undefined;
}

/**
 * The executing runs, as the processes report them. A run counts from the return of its claim until
 * its release is requested, which is within its lease. So a limit that is exceeded here was
 * exceeded in the service.
 */
export class SlotLedger {
  readonly #executing = new Map<string, Scopes>();
  readonly #limits = new Map<string, number>();
  /** Runs by slot, in the order of their first execution. */
  readonly begun = new Map<string, string[]>();
  #ceiling = 0;
  /** The number of claims that reached a limit, which proves that a trial tested it. */
  full = 0;

  get size(): number {
    return this.#executing.size;
  }

  /** Sets the limit for new runs. During a change, the larger limit counts. */
  limit(slot: string, max: number): void {
    this.#limits.set(slot, max);
  }

  limitOf(slot: string): number {
    return this.#limits.get(slot) ?? Number.POSITIVE_INFINITY;
  }

  ceiling(max: number): void {
    this.#ceiling = max;
  }

  begin(runId: string, scopes: Scopes): void {
    expect(this.#executing.has(runId), `run ${runId} is executed twice at a time`).toBe(false);
    this.#executing.set(runId, scopes);
    if (this.#ceiling > 0) this.#atMost('the project', this.#executing.size, this.#ceiling);
    if (scopes.slot === undefined) return;
    const { slot } = scopes;
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
