/** How long callers' work may take in one iteration of the event loop, in ms. */
const sliceMs = 4;

/**
 * Shares the event loop between groups: the projects of callers. A piece of work that comes after
 * the slice of its iteration waits for a later one, so that heartbeats, other sockets and timers
 * get theirs. Then the groups take turns, each first come, first served. A piece is the work
 * between two waits for the database. It is never interrupted, so an iteration may exceed its slice
 * by one.
 */
export class LoopTurns {
  /** Waiting work by group, in the order of their next turns. */
  readonly #round = new Map<string, (() => void)[]>();
  readonly #now: () => number;
  /** The beginning of callers' work in this iteration. */
  #since: number | undefined;
  #isTurnAhead = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Undefined if the group's work may go on now, or a promise of its turn. */
  next(group: string): Promise<void> | undefined {
    if (this.#round.size === 0 && this.#hasTime()) return undefined;
    return new Promise((resolve) => {
      const waiting = this.#round.get(group);
      if (waiting) waiting.push(resolve);
      else this.#round.set(group, [resolve]);
      this.#planTurn();
    });
  }

  #planTurn(): void {
    if (this.#isTurnAhead) return;
    this.#isTurnAhead = true;
    setImmediate(() => {
      this.#isTurnAhead = false;
      this.#serve();
    });
  }

  #hasTime(): boolean {
    const now = this.#now();
    if (this.#since !== undefined) return now - this.#since < sliceMs;
    this.#since = now;
    // Runs before the work that waits for the next iteration.
    setImmediate(() => {
      this.#since = undefined;
    });
    return true;
  }

  /** Resumes one piece of waiting work after the other while there is time. */
  #serve(): void {
    const [first] = this.#round;
    if (!first) return;
    if (!this.#hasTime()) {
      this.#planTurn();
      return;
    }
    const [group, waiting] = first;
    const resume = waiting.shift();
    this.#round.delete(group);
    if (waiting.length > 0) this.#round.set(group, waiting);
    resume?.();
    // A tick that a microtask asks for comes after all microtasks, and so after this piece.
    if (this.#round.size > 0) queueMicrotask(() => process.nextTick(() => this.#serve()));
  }
}
