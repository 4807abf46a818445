export interface LineOptions<Item> {
  /** How many items are served at once. */
  maxServed: number;
  serve: (item: Item) => Promise<void>;
  onError: (error: unknown) => void;
}

/**
 * A queue that serves a bounded number of items at once, in order of arrival, each at most once.
 */
export class Line<Item> {
  readonly #options: LineOptions<Item>;
  readonly #waiting = new Set<Item>();
  readonly #served = new Set<Item>();

  constructor(options: LineOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    if (this.#served.has(item)) return;
    this.#waiting.add(item);
    this.#fill();
  }

  /** Removes a waiting item. Changes nothing once it is being served. */
  remove(item: Item): void {
    this.#waiting.delete(item);
  }

  clear(): void {
    this.#waiting.clear();
  }

  #fill(): void {
    for (const item of this.#waiting) {
      if (this.#served.size >= this.#options.maxServed) return;
      this.#waiting.delete(item);
      this.#served.add(item);
      void this.#serve(item);
    }
  }

  async #serve(item: Item): Promise<void> {
    const { onError, serve } = this.#options;
    try {
      await serve(item);
    } catch (error) {
      onError(error);
    }
    this.#served.delete(item);
    this.#fill();
  }
}
