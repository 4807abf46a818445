import { busy } from './errors.ts';

export interface TurnsOptions {
  /** The maximum work in progress; at least 1. */
  atOnce: number;
  /** The maximum waiting work. */
  maxWaiting: number;
  /** The maximum wait, in ms. */
  waitMs: number;
  /** The text of the `busy` error. */
  refusal: string;
}

interface Waiting {
  begin(): void;
}

/** Limits the work in progress. Further work waits in a queue, first come, first served. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #queue: Waiting[] = [];
  #atWork = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /**
   * Runs `work` when its turn comes. Calls `onWait` if it has to wait. Throws `busy` if the queue
   * is full, or the wait takes too long.
   */
  async take<T>(work: () => Promise<T>, onWait?: () => void): Promise<T> {
    if (this.#atWork < this.#options.atOnce) this.#atWork += 1;
    else {
      onWait?.();
      await this.#wait();
    }
    try {
      return await work();
    } finally {
      this.#pass();
    }
  }

  /** Resolves when finished work passes its turn on. */
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
