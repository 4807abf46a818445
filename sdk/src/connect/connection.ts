/// <reference lib="esnext.disposable" preserve="true" />
// The line above goes into the declarations: whoever compiles against them may have a lib without
// `Disposable`.
import { type Backoff, backoffMs, pause } from '../backoff.ts';
import type { LibraryLogger } from '../config.ts';
import { isError } from '../isError.ts';
import { fatalError, isNoService, noServiceError } from './refusals.ts';
import { Session, type SessionEnd, type SessionOptions } from './session.ts';
import { Slots } from './slots.ts';

export type ConnectionChange =
  | { state: 'connecting' }
  /** Passes can arrive. */
  | { state: 'ready'; runnerId: string }
  /**
   * Finishing what is in flight: `service` asked for it (and the runner connects again meanwhile),
   * or `close()` was called.
   */
  | { state: 'draining'; reason: 'service' | 'close' }
  /** The connection was lost, or could not be made. */
  | { state: 'waiting'; retryInMs: number; reason: string }
  /** For good; `error` says why, where it was not `close()`. */
  | { state: 'closed'; error?: Error };

export type ConnectionListener = (change: ConnectionChange) => void;

export interface ConnectionOptions extends Omit<SessionOptions, 'onReady' | 'onDrain' | 'slots'> {
  /** Passes at once, over however many sockets they came. */
  readonly maxInFlight: number;
  readonly logger: LibraryLogger;
  readonly signal?: AbortSignal | undefined;
  readonly onChange?: ConnectionListener | undefined;
}

const reconnect: Backoff = { firstMs: 250, maxMs: 15_000 };
/**
 * While a socket drains, the process at its other end is about to go or to restart: the next is
 * dialled without long pauses.
 */
const failuresBesideDraining = 2;

/**
 * A runner's connection to the service, kept up until it is closed. Whatever is computed while it
 * is down is dropped: the service asks again. A socket that the service drains finishes what it has
 * beside the next one.
 */
export class Connection implements AsyncDisposable {
  /** Resolves once the service has accepted the runner; rejects where it never will. */
  readonly ready: Promise<void>;
  /** Resolves when the connection has ended for good, with the reason if it was not `close()`. */
  readonly closed: Promise<Error | undefined>;
  readonly #options: ConnectionOptions;
  readonly #listeners = new Set<ConnectionListener>();
  readonly #closing = new AbortController();
  #state: ConnectionChange = { state: 'connecting' };
  readonly #slots: Slots;
  /** Sockets that the service has let go, and that finish what they have. */
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
    // Who does not wait for it learns of a failure from the logger.
    this.ready.catch(() => {});
    if (options.signal?.aborted) this.#closing.abort();
    options.signal?.addEventListener('abort', () => void this.close(), { once: true });
    // What cannot even be dialled cannot be mended by dialling again.
    this.closed = this.#keepUp().catch((cause: unknown) => this.#end(asError(cause)));
  }

  /** Where the connection stands. */
  get state(): ConnectionChange['state'] {
    return this.#state.state;
  }

  /** The service's name for this runner, while it is connected. */
  get runnerId(): string | undefined {
    return this.#state.state === 'ready' ? this.#state.runnerId : undefined;
  }

  /** Calls `listener` with every change from now on; returns what ends that. */
  onChange(listener: ConnectionListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Finishes the passes in flight, then disconnects. Resolves when that is done; safe to call
   * again.
   */
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
      await this.#wait(backoffMs(failures, reconnect), end.reason === '' ? `closed (${end.code})` : end.reason);
    }
    return this.#end(undefined);
  }

  /**
   * The end of one socket, or of what this runner has to do with it: one that is drained goes on by
   * itself.
   */
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
    logger.warn(`holdfast: not connected to ${url} (${reason}); trying again in ${retryInMs} ms`);
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
