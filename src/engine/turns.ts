import { busy } from './errors.ts';

export interface TurnsOptions {
  /** Pieces of work at once; at least 1. */
  atOnce: number;
  /** How many may wait besides. */
  maxWaiting: number;
  /** For how long one waits, in ms. */
  waitMs: number;
  /** What those are told who are turned away. */
  refusal: string;
}

interface Waiting {
  begin(): void;
}

/**
 * Work of which only so much is done at once; the rest waits in a queue, first come, first served.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #queue: Waiting[] = [];
  #atWork = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /**
   * Does `work` when its turn comes. Throws `busy` at once where too many wait already, and where
   * the turn takes too long to come.
   */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#atWork < this.#options.atOnce) this.#atWork += 1;
    else await this.#wait();
    try {
      return await work();
    } finally {
      this.#pass();
    }
  }

  /** Resolves with the place of somebody who is through. */
  #wait(): Promise<void> {
    const { maxWaiting, waitMs, refusal } = this.#options;
    if (this.#queue.length >= maxWaiting) throw busy(refusal);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(busy(refusal));
      }, waitMs);
      this.#queue.push(waiting);
    });
  }

  #pass(): void {
    const next = this.#queue.shift();
    if (next) next.begin();
    else this.#atWork -= 1;
  }
}
