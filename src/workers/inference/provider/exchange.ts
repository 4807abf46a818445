import type { Dispatcher } from 'undici';
import { AnswerBody } from './answerBody.ts';
import type { Connections } from './connections.ts';
import type { CallLimits, StopReason } from './limits.ts';

export type AnswerHeaders = Dispatcher.ResponseData['headers'];

export interface Outgoing {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface ExchangeOptions {
  connections: Pick<Connections, 'dispatch'>;
  limits: CallLimits;
  signal: AbortSignal;
}

/** Answers of the kind 1xx before the actual one. */
const maxInformational = 20;

/** How long the body of an error may take. The status says the most. */
const errorBodyMs = 5_000;

/** How long the rest of an answer that is complete may take. Then its connection is dropped. */
const restMs = 2_000;

/** The reason of an end that is ours. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

/**
 * One request to a provider and its answer.
 *
 * Owns: the limits of time and size, and the facts by which the end is classified.
 * Does not own: the meaning of the answer.
 *
 * Invariants
 * 1. `wasSent` is false as long as no byte of the request can have left.
 * 2. After `stop`, the answer's body fails, and no further byte is delivered.
 * 3. Every path ends the timers and the subscription to the signal.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Whether the request began to leave. */
  wasSent = false;
  status: number | undefined;
  headers: AnswerHeaders = {};
  /** Why this side ended it. */
  stopReason: StopReason | undefined;
  /** Why the other side, or the network, ended it. */
  failure: Error | undefined;

  readonly #options: ExchangeOptions;
  readonly #timer: NodeJS.Timeout;
  #idleTimer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #informational = 0;
  #hasEnded = false;
  #body: AnswerBody | undefined;
  #onAnswer: ((error: Error | undefined) => void) | undefined;

  constructor(options: ExchangeOptions) {
    const { limits, signal } = options;
    this.#options = options;
    this.#timer = setTimeout(() => this.stop('timeout'), limits.timeoutMs);
    this.#idleTimer = setTimeout(() => this.stop('connect'), limits.connectMs);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.stop('aborted');
  }

  /** Sends the request. Resolves with the body once the answer's headers are here. */
  send({ url, headers, body }: Outgoing): Promise<AnswerBody> {
    const { origin, pathname, search } = new URL(url);
    return new Promise((resolve, reject) => {
      this.#onAnswer = (error) => (this.#body && !error ? resolve(this.#body) : reject(error ?? new Stopped()));
      if (this.#hasEnded) {
        this.#onAnswer(new Stopped());
        return;
      }
      const path = `${pathname}${search}`;
      this.#options.connections.dispatch({ origin, path, method: 'POST', headers, body }, this);
    });
  }

  /** Ends the exchange from this side. Without effect once it has ended. */
  stop(reason: StopReason): void {
    if (this.#hasEnded) return;
    this.stopReason = reason;
    this.#end(new Stopped(reason));
  }

  /** Ends the body although the connection has not: the answer is complete. */
  complete(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#release();
    this.#body?.end();
    // The rest is dropped. A connection that was read to its end takes the next request.
    const controller = this.#controller;
    controller?.resume();
    this.#idleTimer = setTimeout(() => controller?.abort(new Stopped()), restMs);
    this.#idleTimer.unref();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#hasEnded) {
      // The connection took too long. Aborted here, no byte leaves.
      controller.abort(new Stopped());
      return;
    }
    this.wasSent = true;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.stop('idle'), this.#options.limits.idleMs);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (this.#hasEnded) return;
    this.#idleTimer.refresh();
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > maxInformational) this.#fail(new Error('too many informational answers'));
      return;
    }
    this.status = status;
    this.headers = headers;
    if (status > 299) this.#limitBody();
    this.#body = new AnswerBody({
      encoding: headers['content-encoding'],
      maxBytes: this.#options.limits.maxBytes,
      flow: controller,
      onTooLarge: () => this.#refuseBody('size'),
      onUnreadable: (error) => this.#refuseBody(error),
    });
    this.#onAnswer?.(undefined);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded) return;
    this.#idleTimer.refresh();
    this.#body?.write(chunk);
  }

  onResponseEnd(): void {
    if (this.#hasEnded) {
      clearTimeout(this.#idleTimer);
      return;
    }
    this.#hasEnded = true;
    this.#release();
    this.#body?.finish();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #limitBody(): void {
    clearTimeout(this.#idleTimer);
    const { idleMs } = this.#options.limits;
    this.#idleTimer = setTimeout(() => this.stop('idle'), Math.min(idleMs, errorBodyMs));
  }

  readonly #onAbort = (): void => this.stop('aborted');

  #fail(error: Error): void {
    if (this.#hasEnded) {
      clearTimeout(this.#idleTimer);
      return;
    }
    this.failure = error;
    this.#end(error);
  }

  /** Ends the exchange for its body. The connection may have ended: a decoder works later. */
  #refuseBody(reason: 'size' | Error): void {
    const error = reason === 'size' ? new Stopped(reason) : reason;
    if (reason === 'size') this.stopReason ??= reason;
    else this.failure ??= reason;
    if (this.#hasEnded) this.#body?.fail(error);
    else this.#end(error);
  }

  #end(error: Error): void {
    this.#hasEnded = true;
    this.#release();
    this.#body?.fail(error);
    this.#onAnswer?.(error);
    this.#controller?.abort(new Stopped());
  }

  #release(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#idleTimer);
    this.#options.signal.removeEventListener('abort', this.#onAbort);
  }
}
