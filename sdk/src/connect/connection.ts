/// <reference lib="esnext.disposable" preserve="true" />
// Copied into the declarations, because a user's `lib` may lack `Disposable`.
import { type Backoff, backoffMs, pause } from '../backoff.ts';
import type { LibraryLogger } from '../config.ts';
import { isError } from '../isError.ts';
import { fatalError, isNoService, noServiceError } from './refusals.ts';
import { Session, type SessionEnd, type SessionOptions } from './session.ts';
import { Slots } from './slots.ts';

export type ConnectionChange =
  | { state: 'connecting' }
  /** The runner can receive passes. */
  | { state: 'ready'; runnerId: string }
  /**
   * Finishes the passes in flight, because the service asked or `close()` was called. After
   * `service`, the runner connects again meanwhile.
   */
  | { state: 'draining'; reason: 'service' | 'close' }
  /** The connection was lost or could not be made. */
  | { state: 'waiting'; retryInMs: number; reason: string }
  /** Closed for good; `error` is the reason, unless `close()` was called. */
  | { state: 'closed'; error?: Error };

export type ConnectionListener = (change: ConnectionChange) => void;

export interface ConnectionOptions extends Omit<SessionOptions, 'onReady' | 'onDrain' | 'slots'> {
  /** Passes to execute at once, over all sockets together. */
  readonly maxInFlight: number;
  readonly logger: LibraryLogger;
  readonly signal?: AbortSignal | undefined;
  readonly onChange?: ConnectionListener | undefined;
}

/** A refused dial costs next to nothing, and a runner is missed as soon as the service is back. */
const reconnect: Backoff = { firstMs: 250, maxMs: 4_000 };
/**
 * A draining socket means that its process stops or restarts soon. So the first dials of the next
 * socket have short delays.
 */
const failuresBesideDraining = 2;

/**
 * The delay before the next dial, with jitter. `dialMs` is how long the last one took to fail:
 * delays count from its start, because a dial that times out has waited already.
 */
export function reconnectMs(failures: number, dialMs: number, random?: () => number): number {
  return Math.max(backoffMs(failures, reconnect, random) - dialMs, backoffMs(0, reconnect, random));
}

/**
 * A runner's connection to the service, reopened until it is closed. Results that are ready while
 * it is down are dropped, and the service asks again. A draining socket finishes its passes beside
 * the next one.
 */
export class Connection implements AsyncDisposable {
  /**
   * Resolves when the service has accepted the runner. Rejects if the service refuses it for good.
   */
  readonly ready: Promise<void>;
  /**
   * Resolves when the connection has closed for good, with the error unless `close()` was called.
   */
  readonly closed: Promise<Error | undefined>;
  readonly #options: ConnectionOptions;
  readonly #listeners = new Set<ConnectionListener>();
  readonly #closing = new AbortController();
  #state: ConnectionChange = { state: 'connecting' };
  readonly #slots: Slots;
  /** Sockets that the service drains, and that finish their passes. */
  readonly #draining = new Set<Session>();
  #session: Session | undefined;
  #resolveReady: () => void = () => {};
  #rejectReady: (error: Error) => void = () => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#slots = new Slots(options.maxInFlight);
    if (options.onChange !== undefined) this.#listeners.add(options.onChange);
    this.ready = new Promise((resolve, reject) => {
      this.#resolveReady = resolve;
      this.#rejectReady = reject;
    });
    // Callers that do not await `ready` learn of a failure from the logger.
    this.ready.catch(() => {});
    if (options.signal?.aborted) this.#closing.abort();
    options.signal?.addEventListener('abort', () => void this.close(), { once: true });
    // A dial that throws would throw again, so the connection closes.
    this.closed = this.#keepUp().catch((cause: unknown) => this.#end(asError(cause)));
  }

  /** The present state of the connection. */
  get state(): ConnectionChange['state'] {
    return this.#state.state;
  }

  /** The id that the service gave this runner, while connected. */
  get runnerId(): string | undefined {
    return this.#state.state === 'ready' ? this.#state.runnerId : undefined;
  }

  /** Calls `listener` with every later change. Returns a function that removes the listener. */
  onChange(listener: ConnectionListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Finishes the passes in flight, disconnects, and then resolves. Idempotent. */
  async close(): Promise<void> {
    if (!this.#closing.signal.aborted) {
      if (this.#state.state === 'ready' || this.#draining.size > 0)
        this.#become({ state: 'draining', reason: 'close' });
      this.#closing.abort();
      this.#session?.close();
    }
    await this.closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #keepUp(): Promise<Error | undefined> {
    const { url } = this.#options;
    let failures = 0;
    let misses = 0;
    let wasReady = false;
    while (!this.#closing.signal.aborted) {
      const dialedAt = performance.now();
      const end = await this.#connectOnce();
      if (this.#closing.signal.aborted) break;
      if (end === 'drained') {
        wasReady = true;
        failures = 0;
        await pause(backoffMs(failures, reconnect), this.#closing.signal);
        continue;
      }
      wasReady ||= end.wasReady;
      misses = isNoService(end) ? misses + 1 : 0;
      const fatal = fatalError(end) ?? (wasReady ? undefined : noServiceError(url, end, misses));
      if (fatal !== undefined) return this.#end(fatal);
      failures = end.wasReady ? 0 : failures + 1;
      if (this.#draining.size > 0) failures = Math.min(failures, failuresBesideDraining);
      const dialMs = end.wasReady ? 0 : Math.round(performance.now() - dialedAt);
      await this.#wait(reconnectMs(failures, dialMs), end.reason === '' ? `closed (${end.code})` : end.reason);
    }
    return this.#end(undefined);
  }

  /** Resolves when a socket has ended, or when it drains and ends by itself. */
  #connectOnce(): Promise<SessionEnd | 'drained'> {
    this.#become({ state: 'connecting' });
    return new Promise((resolve) => {
      const session = new Session({
        ...this.#options,
        slots: this.#slots,
        onReady: ({ runnerId }) => {
          this.#become({ state: 'ready', runnerId });
          this.#resolveReady();
        },
        onDrain: () => {
          this.#draining.add(session);
          this.#become({ state: 'draining', reason: 'service' });
          resolve('drained');
        },
      });
      this.#session = session;
      void session.ended.then((end) => {
        this.#draining.delete(session);
        resolve(end);
      });
    });
  }

  #wait(retryInMs: number, reason: string): Promise<void> {
    this.#become({ state: 'waiting', retryInMs, reason });
    const { logger, url } = this.#options;
    logger.warn(`holdfast: not connected to ${url} (${reason}); retrying in ${retryInMs} ms`);
    return pause(retryInMs, this.#closing.signal);
  }

  async #end(error: Error | undefined): Promise<Error | undefined> {
    await Promise.all([...this.#draining].map(({ ended }) => ended));
    this.#become(error === undefined ? { state: 'closed' } : { state: 'closed', error });
    if (error !== undefined) this.#options.logger.error(`holdfast: ${error.message}`);
    this.#rejectReady(error ?? new Error('the connection was closed before the service accepted the runner'));
    return error;
  }

  #become(change: ConnectionChange): void {
    this.#state = change;
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (cause) {
        this.#options.logger.error(`holdfast: a connection listener threw: ${String(cause)}`);
      }
    }
  }
}

function asError(cause: unknown): Error {
  return isError(cause) ? cause : new Error(String(cause));
}
