export interface LineOptions<Item> {
  /** How many items are served at once. */
  places: number;
  serve: (item: Item) => Promise<void>;
  onError: (error: unknown) => void;
}

/** Items that wait for a bounded number of places, first come first served, each at most once. */
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
      if (this.#served.size >= this.#options.places) return;
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
