/**
 * A map with a maximum size. When full, it drops the least recently used entries. Each entry counts
 * one, unless `weigh` says otherwise.
 */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;
  readonly #weigh: (key: K, value: V) => number;
  #weight = 0;

  constructor(capacity: number, weigh: (key: K, value: V) => number = () => 1) {
    this.#capacity = capacity;
    this.#weigh = weigh;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    // A Map iterates in insertion order, so the first entry is the least recently used.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#weight += this.#weigh(key, value);
    if (this.#weight <= this.#capacity) return;
    for (const oldest of this.#entries.keys()) {
      this.delete(oldest);
      if (this.#weight <= this.#capacity) return;
    }
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (value !== undefined && this.#entries.delete(key)) this.#weight -= this.#weigh(key, value);
  }
}
