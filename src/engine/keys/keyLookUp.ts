import { BoundedCache } from '../boundedCache.ts';
import { FreshCache } from './freshCache.ts';
import { type IsGone, StrangerLane } from './strangerLane.ts';

export interface KeyLookUpOptions<Row> {
  /** Reads the keys of the given hashes, by hash. */
  load: (hashes: readonly string[]) => Promise<ReadonlyMap<string, Row>>;
  /** How long a found key is valid, in ms. */
  maxAgeMs: number;
  /** How long a hash without a key is refused without a look-up, in ms. */
  missMs: number;
  /** Limits of the look-ups of hashes that this process has not seen with a key. */
  strangers: { atOnce: number; maxTogether: number; maxWaiting: number };
}

/** Keys and misses that a process remembers. */
const maxEntries = 10_000;

/**
 * Finds keys, or other rows with a token, by their hash.
 *
 * Invariants:
 * K1. A found key is valid for `maxAgeMs`, and dropped when this process revokes a key.
 * K2. Hashes with a key are read in a lane of their own. So a flood of guessed keys delays no
 *     caller whose key this process has seen, and evicts no such key.
 * K3. A miss is remembered for `missMs`, so another process's new key works after that. A key that
 *     this process creates works at once.
 */
export class KeyLookUp<Row> {
  readonly #options: KeyLookUpOptions<Row>;
  readonly #fresh: FreshCache<Row>;
  /** Hashes that had a key when they were last read. */
  readonly #familiar = new BoundedCache<string, true>(maxEntries);
  readonly #missedAt = new BoundedCache<string, number>(maxEntries);
  readonly #strangers: StrangerLane<{ row: Row; readAtMs: number }>;
  /** Grows with each change of a key. A read that began before it is not remembered. */
  #epoch = 0;

  constructor(options: KeyLookUpOptions<Row>) {
    const { load, maxAgeMs, strangers } = options;
    this.#options = options;
    this.#fresh = new FreshCache({ maxEntries, maxAgeMs, load: async (hash) => (await load([hash])).get(hash) });
    this.#strangers = new StrangerLane({
      ...strangers,
      load: async (hashes) => {
        const readAtMs = performance.now();
        return new Map([...(await load(hashes))].map(([hash, row]) => [hash, { row, readAtMs }]));
      },
    });
  }

  /** Whether the hash had a key when it was last read. */
  isFamiliar(hash: string): boolean {
    return this.#familiar.get(hash) === true;
  }

  /**
   * With `sinceMs`, an instant of the monotonic clock, the read began no earlier. Throws `busy` if
   * too many unknown keys are being looked up, or the caller has gone.
   */
  async get(hash: string, isGone: IsGone, sinceMs?: number): Promise<Row | undefined> {
    if (sinceMs !== undefined) return this.#fresh.since(hash, sinceMs) ?? this.#findStranger(hash, isGone, true);
    if (this.isFamiliar(hash)) {
      const key = await this.#fresh.get(hash);
      if (!key) this.#familiar.delete(hash);
      return key;
    }
    const missedAt = this.#missedAt.get(hash);
    if (missedAt !== undefined && performance.now() - missedAt < this.#options.missMs) return undefined;
    return this.#findStranger(hash, isGone);
  }

  /** Reads the key again at its next use. */
  forget(hash: string): void {
    this.#fresh.forget(hash);
  }

  /** K3. This process has created a key. */
  created(hash: string): void {
    this.#changed();
    this.#missedAt.delete(hash);
    this.#familiar.set(hash, true);
  }

  /** K1. A key was revoked. */
  revoked(): void {
    this.#changed();
    this.#fresh.clear();
  }

  #changed(): void {
    this.#epoch += 1;
    this.#strangers.forgetBegun();
  }

  async #findStranger(hash: string, isGone: IsGone, isAnew = false): Promise<Row | undefined> {
    const epoch = this.#epoch;
    const found = await this.#strangers.find(hash, isGone, isAnew);
    if (epoch !== this.#epoch) return found?.row;
    if (found) {
      this.#familiar.set(hash, true);
      this.#fresh.put(hash, found.row, found.readAtMs);
    } else {
      this.#familiar.delete(hash);
      this.#fresh.forget(hash);
      this.#missedAt.set(hash, performance.now());
    }
    return found?.row;
  }
}
