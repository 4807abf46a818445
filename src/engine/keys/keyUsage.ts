import type { EngineContext } from '../context.ts';
import { touchKeys } from './sql/touchKeys.ts';

const everyMs = 60_000;
const gatherMs = 1_000;
const maxRemembered = 10_000;

/**
 * Records the last use of keys: at most once a minute per key, many keys in one statement, and
 * without delaying the call. A lost record is not repeated.
 */
export class KeyUsage {
  readonly #ctx: EngineContext;
  readonly #notedAt = new Map<string, number>();
  readonly #pending = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
  }

  note(keyId: string): void {
    const now = performance.now();
    const notedAt = this.#notedAt.get(keyId);
    if (notedAt !== undefined && now - notedAt < everyMs) return;
    if (this.#notedAt.size >= maxRemembered) this.#notedAt.clear();
    this.#notedAt.set(keyId, now);
    this.#pending.add(keyId);
    this.#timer ??= setTimeout(() => void this.flush(), gatherMs).unref();
  }

  /** Writes the pending uses. Never throws. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Sorted, so that two processes cannot deadlock.
    const ids = [...this.#pending].sort();
    this.#pending.clear();
    if (ids.length === 0) return;
    try {
      await touchKeys(this.#ctx.db, { ids, now: this.#ctx.clock.sql() });
    } catch (error) {
      this.#ctx.log.warn({ err: error, keys: ids.length }, 'recording the last use of keys failed');
    }
  }
}
