/** Limits work in progress. The rest waits: urgent work first, else first come, first served. */
export class Permits {
  #free: number;
  readonly #urgent: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Executes work that others wait for. */
  urgent<T>(work: () => Promise<T>): Promise<T> {
    return this.#with(this.#urgent, work);
  }

  with<T>(work: () => Promise<T>): Promise<T> {
    return this.#with(this.#waiting, work);
  }

  async #with<T>(queue: (() => void)[], work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#urgent.shift() ?? this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
