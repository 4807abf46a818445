import type { EngineContext } from '../context.ts';
import { findEndedKeys } from './sql/findEndedKeys.ts';

/**
 * With the time of a query, this stays below the five seconds after which a revoked key must not
 * work.
 */
const intervalMs = 4_600;

type Listener = () => void;

/**
 * Notifies sockets and streams when their key ends: at once if this process revoked it, otherwise
 * at the next check of the database. Checks only while there are listeners, and does not keep the
 * process alive.
 */
export class KeyWatch {
  readonly #ctx: EngineContext;
  readonly #watched = new Map<string, Set<Listener>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
    ctx.bus.on('key.revoked', ({ keyId }) => this.#end(keyId));
  }

  /** Watched keys. */
  get size(): number {
    return this.#watched.size;
  }

  /**
   * Calls `onEnded` once when the key is revoked or expires, unless the returned function is called
   * before.
   */
  watch(keyId: string, onEnded: Listener): () => void {
    // Wrapped, so that the same function can be registered twice.
    const listener = (): void => onEnded();
    const listeners = this.#watched.get(keyId) ?? new Set();
    this.#watched.set(keyId, listeners.add(listener));
    this.#schedule();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#watched.get(keyId) === listeners) this.#watched.delete(keyId);
      if (this.#watched.size === 0) this.#rest();
    };
  }

  /** Checks all watched keys once. Returns how many had ended. */
  async runOnce(): Promise<number> {
    const ids = [...this.#watched.keys()];
    if (ids.length === 0) return 0;
    const ended = await findEndedKeys(this.#ctx.db, { ids, now: this.#ctx.clock.sql() });
    for (const { id } of ended) this.#ctx.bus.emit('key.revoked', { keyId: id });
    return ended.length;
  }

  #end(keyId: string): void {
    const listeners = this.#watched.get(keyId);
    this.#watched.delete(keyId);
    if (this.#watched.size === 0) this.#rest();
    for (const listener of listeners ?? []) listener();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.#look(), intervalMs).unref();
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    try {
      await this.runOnce();
    } catch (error) {
      this.#ctx.log.warn({ err: error }, 'checking watched keys failed');
    }
    this.#rest();
    if (this.#watched.size > 0) this.#schedule();
  }
}
