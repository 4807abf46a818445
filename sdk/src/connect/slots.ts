/**
 * Room for passes at once, of all sockets of a connection together: one that is drained still has
 * some while the next takes others.
 */
export class Slots {
  #free: number;
  readonly #listeners = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes one, if there is one. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  giveBack(): void {
    this.#free += 1;
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` whenever one has become free; returns what ends that. */
  onFree(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
