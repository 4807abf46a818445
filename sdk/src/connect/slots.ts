/**
 * The permits for passes, shared by all sockets of a connection. A draining socket keeps its
 * permits while the next one takes others.
 */
export class Slots {
  #free: number;
  readonly #listeners = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a slot; false if none is free. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  giveBack(): void {
    this.#free += 1;
    for (const listener of this.#listeners) listener();
  }

  /**
   * Calls `listener` whenever a slot becomes free. Returns a function that removes the listener.
   */
  onFree(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
