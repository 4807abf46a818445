import { busy } from './errors.ts';

/*
 * Owns: the share of the event loop that long computations get, and their order.
 * Does not own: what they compute.
 *
 * L1. All computations of a turn of the event loop together use `turnMs`, plus the rest of one
 *     step.
 * L2. While some wait, a turn gives them `waitingMs` only, and new ones wait, too. So the timers,
 *     sockets and statements of all others keep their turns.
 * L3. Waiting computations advance alike: the projects in turn, and those of a project in turn.
 * L4. A computation that fits into the turn runs at once, without a timer.
 */

/**
 * A computation, which yields before each piece of work that takes time. The last `next()` returns
 * the result.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** The parts that tests replace: a clock in ms, and the next turn of the event loop. */
export interface SlicesOptions {
  nowMs: () => number;
  nextTurn: (begin: () => void) => void;
}

export const turnMs = 20;
export const waitingMs = 5;
/** How long a waiting computation runs before the next one has its turn. */
const quantumMs = 1;
const maxWaitingPerOwner = 20_000;

interface Waiting {
  /** Computes for some ms. False: it has to go on later. */
  advance(forMs: number): boolean;
}

/** Computes in slices, so that nobody's computation blocks the event loop. */
export class Slices {
  readonly #nowMs: () => number;
  readonly #nextTurn: (begin: () => void) => void;
  /** By owner. The owner that waits longest for a turn comes first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #usedMs = 0;
  #isTurnAhead = false;

  constructor({ nowMs = () => performance.now(), nextTurn = setImmediate }: Partial<SlicesOptions> = {}) {
    this.#nowMs = nowMs;
    this.#nextTurn = nextTurn;
  }

  /**
   * Computes on behalf of an owner: a project. Calls `onWait` if the rest has to wait for later
   * turns. Throws `busy` if too many computations of the owner wait.
   */
  async run<Result>(owner: string, steps: Steps<Result>, onWait?: () => void): Promise<Result> {
    // L4. Up to its first yield it takes no time.
    const first = steps.next();
    if (first.done) return first.value;
    if (this.#waiting.size === 0) {
      const last = this.#advance(steps, turnMs - this.#usedMs);
      if (last) return last.value;
    }
    onWait?.();
    return this.#wait(owner, steps);
  }

  #wait<Result>(owner: string, steps: Steps<Result>): Promise<Result> {
    const queue = this.#waiting.get(owner) ?? [];
    if (queue.length >= maxWaitingPerOwner) throw busy('too many computations of this project wait: retry later');
    return new Promise((resolve, reject) => {
      const advance = (forMs: number): boolean => {
        try {
          const last = this.#advance(steps, forMs);
          if (last) resolve(last.value);
          return last !== undefined;
        } catch (error) {
          reject(error);
          return true;
        }
      };
      queue.push({ advance });
      this.#waiting.set(owner, queue);
      this.#planTurn();
    });
  }

  /** The last step, if the time sufficed. */
  #advance<Result>(steps: Steps<Result>, forMs: number): { value: Result } | undefined {
    const startedMs = this.#nowMs();
    let ranMs = 0;
    try {
      while (ranMs < forMs) {
        const step = steps.next();
        ranMs = this.#nowMs() - startedMs;
        if (step.done) return step;
      }
      return undefined;
    } finally {
      this.#usedMs += ranMs;
      if (this.#usedMs >= quantumMs) this.#planTurn();
    }
  }

  #planTurn(): void {
    if (this.#isTurnAhead) return;
    this.#isTurnAhead = true;
    this.#nextTurn(() => this.#takeTurn());
  }

  /** L2, L3. */
  #takeTurn(): void {
    this.#isTurnAhead = false;
    this.#usedMs = 0;
    while (this.#usedMs < waitingMs) {
      const [next] = this.#waiting;
      if (!next) return;
      const [owner, queue] = next;
      this.#waiting.delete(owner);
      const [first, ...others] = queue;
      const rest = !first || first.advance(quantumMs) ? others : [...others, first];
      if (rest.length > 0) this.#waiting.set(owner, rest);
    }
    if (this.#waiting.size > 0) this.#planTurn();
  }
}
