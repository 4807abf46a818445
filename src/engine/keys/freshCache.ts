export interface FreshCacheOptions<Value> {
  maxEntries: number;
  maxAgeMs: number;
  /** Looks a value up; undefined when there is none, which is not remembered. */
  load: (key: string) => Promise<Value | undefined>;
}

interface Entry<Value> {
  loadedAt: number;
  value: Promise<Value | undefined>;
}

/**
 * A bounded cache whose entries live for a moment only, so that what was true stays true for at
 * most `maxAgeMs`. Calls for a key that is being looked up share that look-up. Age is measured by
 * the process's monotonic clock.
 */
export class FreshCache<Value> {
  readonly #options: FreshCacheOptions<Value>;
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(options: FreshCacheOptions<Value>) {
    this.#options = options;
  }

  get(key: string): Promise<Value | undefined> {
    const known = this.#entries.get(key);
    if (known && performance.now() - known.loadedAt < this.#options.maxAgeMs) return known.value;
    return this.#load(key);
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  /** Forgets all, look-ups under way included. */
  clear(): void {
    this.#entries.clear();
  }

  #load(key: string): Promise<Value | undefined> {
    const entry: Entry<Value> = { loadedAt: performance.now(), value: this.#options.load(key) };
    this.#entries.delete(key);
    this.#makeRoom();
    this.#entries.set(key, entry);
    const drop = (): void => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    };
    entry.value.then((value) => value === undefined && drop(), drop);
    return entry.value;
  }

  /** A map keeps the order of insertion: the first is the oldest. */
  #makeRoom(): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= this.#options.maxEntries) this.#entries.delete(oldest);
  }
}
