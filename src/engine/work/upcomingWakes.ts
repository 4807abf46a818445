import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import { lead } from './sql/leaseDue.ts';

/** A parked run. */
interface Parked {
  runId: string;
  laneId: number;
}

/** A parked run that becomes due at a known time. */
export interface Upcoming extends Parked {
  /** By `performance.now()`; not earlier than by the clock of the database. */
  dueAtMs: number;
}

/** Remembered runs. Further ones are woken all the same, and then claimed. */
const limit = 10_000;
/** Later wake-ups are not remembered. */
const horizonMs = 60_000;
/** The answer that told the due time may have taken so much longer than a later one. */
const toleranceMs = 5;
/**
 * The parked runs of this process, by the times at which they become due. A wake-up can then lease
 * them by the same commit. Only a hint: the run may have moved meanwhile, and entries are lost with
 * the process. A binary heap.
 */
class UpcomingWakes {
  readonly #heap: Upcoming[] = [];

  /** Returns in how many ms the run is to be taken. Undefined: it is not remembered. */
  add({ runId, laneId }: Parked, inMs: number): number | undefined {
    if (inMs > horizonMs || this.#heap.length >= limit) return undefined;
    const entry: Upcoming = { runId, laneId, dueAtMs: performance.now() + inMs };
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
    return inMs - lead.shortestMs;
  }

  /**
   * In how many ms to take runs, if the next one is due in `dueInMs`. Of the remembered runs that
   * are due before, none is parked any more.
   */
  takenInMs(dueInMs: number): number {
    const [first] = this.#heap;
    const mayBeOurs = first !== undefined && first.dueAtMs - performance.now() <= dueInMs + toleranceMs;
    return mayBeOurs ? dueInMs - lead.shortestMs : dueInMs;
  }

  /** Forgets and returns all runs due within the longest lead, the longest overdue first. */
  takeDue(): Upcoming[] {
    const due: Upcoming[] = [];
    const untilMs = performance.now() + lead.longestMs;
    while ((this.#heap[0]?.dueAtMs ?? Number.POSITIVE_INFINITY) <= untilMs) {
      const first = this.#takeFirst();
      if (first) due.push(first);
    }
    return due;
  }

  #takeFirst(): Upcoming | undefined {
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
