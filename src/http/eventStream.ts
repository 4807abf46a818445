import type { ServerResponse } from 'node:http';
import { comment, streamHeaders } from './sse.ts';
import { whenOver } from './whenOver.ts';

export interface EventStreamOptions {
  /** The interval of comment lines, in ms. */
  commentMs: number;
  /** How long a reader may read nothing while data is waiting, in ms. Then it is cut off. */
  slowReaderMs: number;
}

/** One of the streams that a key may have open. */
export interface StreamPermit {
  /** Ties the stream to its key and the service: it ends with either. */
  hold(stream: EventStream): EventStream;
  /** Releases the permit. Must be called after every request. */
  release(): void;
}

/** The most unsent bytes of a reader that is slower than its events. */
const maxBacklogBytes = 1024 * 1024;

/** How long the reader of a revoked stream may take to read the rest, in ms. */
const revokedGraceMs = 200;

/**
 * An open answer of Server-Sent Events.
 *
 * Owns: the response and two timers.
 * Does not own: the source of the events, which its holder stops when `closed` resolves.
 *
 * Invariants:
 * E1. Unsent data is bounded: `write` waits until the response drains, `offer` cuts off the reader.
 * E2. `closed` resolves and no timer remains after every end: caller gone, reader too slow, `end`,
 *     `cutOff`.
 */
export class EventStream {
  readonly closed: Promise<void>;
  readonly #response: ServerResponse;
  readonly #options: EventStreamOptions;
  readonly #comments: NodeJS.Timeout;
  #resolveClosed: () => void = () => {};
  #drained: (() => void) | undefined;
  #slow: NodeJS.Timeout | undefined;
  #open = true;

  /** Answers `200` with the head of a stream. */
  constructor(response: ServerResponse, options: EventStreamOptions) {
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#response = response;
    this.#options = options;
    this.#comments = setInterval(() => this.#comment(), options.commentMs).unref();
    response.on('drain', () => this.#drain());
    response.writeHead(200, streamHeaders);
    response.flushHeaders();
    whenOver(response, () => {
      this.#close();
      clearTimeout(this.#slow);
    });
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /**
   * E1. Writes text, and waits until the reader can take more; false if the stream ends first. Call
   *     it once at a time.
   */
  async write(text: string): Promise<boolean> {
    if (!this.#open) return false;
    if (!this.#response.write(text)) {
      this.#watch();
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    return this.#open;
  }

  /** E1. Writes text without waiting. Cuts off a reader with too much unsent data. */
  offer(text: string): void {
    if (!this.#open) return;
    if (this.#response.writableLength > maxBacklogBytes) this.cutOff();
    else if (!this.#response.write(text)) this.#watch();
  }

  end(graceMs = this.#options.slowReaderMs): void {
    if (!this.#open) return;
    this.#close();
    this.#response.end();
    // A stuck reader does not read the rest either.
    this.#slow = setTimeout(() => this.#cut(), graceMs).unref();
  }

  /** Ends the stream of a key that has ended. A stuck reader is cut off. */
  revoke(): void {
    this.end(revokedGraceMs);
  }

  /** Cuts the connection, so that the reader reconnects and resumes. */
  cutOff(): void {
    this.#close();
    this.#cut();
  }

  /** An answer that waits behind others of its connection has no socket of its own. */
  #cut(): void {
    this.#response.req.socket.destroy();
  }

  /** Starts the timeout of a reader that has unsent data. */
  #watch(): void {
    this.#slow ??= setTimeout(() => this.cutOff(), this.#options.slowReaderMs).unref();
  }

  #drain(): void {
    clearTimeout(this.#slow);
    this.#slow = undefined;
    this.#drained?.();
    this.#drained = undefined;
  }

  #comment(): void {
    if (!this.#response.writableNeedDrain) this.#response.write(comment);
  }

  /** E2 */
  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    clearInterval(this.#comments);
    this.#drain();
    this.#resolveClosed();
  }
}
