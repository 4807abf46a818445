import { BoundedCache } from '../boundedCache.ts';

export interface FreshCacheOptions<Value> {
  maxEntries: number;
  maxAgeMs: number;
  /** Loads a value; undefined if there is none, which is not cached. */
  load: (key: string) => Promise<Value | undefined>;
}

interface Entry<Value> {
  loadedAt: number;
  value: Promise<Value | undefined>;
}

/**
 * A bounded cache whose entries are valid for `maxAgeMs`. Concurrent calls for a key share one
 * load. The age is measured by the process's monotonic clock.
 */
export class FreshCache<Value> {
  readonly #options: FreshCacheOptions<Value>;
  #entries: BoundedCache<string, Entry<Value>>;

  constructor(options: FreshCacheOptions<Value>) {
    this.#options = options;
    this.#entries = new BoundedCache(options.maxEntries);
  }

  get(key: string): Promise<Value | undefined> {
    const known = this.#entries.get(key);
    if (known && performance.now() - known.loadedAt < this.#options.maxAgeMs) return known.value;
    return this.#load(key);
  }

  /** The cached value, if its load began no earlier than an instant of the monotonic clock. */
  since(key: string, sinceMs: number): Promise<Value | undefined> | undefined {
    const known = this.#entries.get(key);
    return known && known.loadedAt >= sinceMs ? known.value : undefined;
  }

  /** Adds a value that was loaded elsewhere, by a load that began at `loadedAt` or later. */
  put(key: string, value: Value, loadedAt: number): void {
    this.#entries.set(key, { loadedAt, value: Promise.resolve(value) });
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  /** Drops all entries. Loads in progress are not cached. */
  clear(): void {
    this.#entries = new BoundedCache(this.#options.maxEntries);
  }

  #load(key: string): Promise<Value | undefined> {
    const entry: Entry<Value> = { loadedAt: performance.now(), value: this.#options.load(key) };
    this.#entries.set(key, entry);
    const drop = (): void => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    };
    entry.value.then((value) => value === undefined && drop(), drop);
    return entry.value;
  }
}
