import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';

/** A parked run that becomes due at a known time. */
export interface Upcoming {
  runId: string;
  laneId: number;
}

interface Entry extends Upcoming {
  /** By `performance.now()`. */
  dueAtMs: number;
}

/** Remembered runs. Further ones are woken all the same, and then claimed. */
const limit = 10_000;
/** Later wake-ups are not remembered. */
const horizonMs = 60_000;
/** The clock of the database may be ahead of the timers here by that much. */
const toleranceMs = 1;

/**
 * The parked runs of this process, by the times at which they become due. A wake-up can then lease
 * them by the same commit. Only a hint: the run may have moved meanwhile, and entries are lost with
 * the process. A binary heap.
 */
class UpcomingWakes {
  readonly #heap: Entry[] = [];

  add({ runId, laneId }: Upcoming, inMs: number): void {
    if (inMs > horizonMs || this.#heap.length >= limit) return;
    const entry = { runId, laneId, dueAtMs: performance.now() + inMs };
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    for (;;) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (at === 0 || parent === undefined || parent.dueAtMs <= entry.dueAtMs) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = entry;
  }

  /** Forgets and returns all runs that are due by now, the longest overdue first. */
  takeDue(): Upcoming[] {
    const due: Upcoming[] = [];
    const nowMs = performance.now() + toleranceMs;
    while ((this.#heap[0]?.dueAtMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      const first = this.#takeFirst();
      if (first) due.push(first);
    }
    return due;
  }

  #takeFirst(): Entry | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const isOther = other !== undefined && other.dueAtMs < one.dueAtMs;
      const child = isOther ? other : one;
      if (child.dueAtMs >= last.dueAtMs) break;
      heap[at] = child;
      at = isOther ? left + 1 : left;
    }
    heap[at] = last;
    return first;
  }
}

export const upcomingWakes: (ctx: EngineContext) => UpcomingWakes = perEngine(() => new UpcomingWakes());
