import type { ServerResponse } from 'node:http';
import { whenOver } from '../../http/index.ts';
import { comment, streamHeaders } from './sse.ts';

export interface EventStreamOptions {
  /** A comment line this often, in ms. */
  commentMs: number;
  /**
   * A reader that takes nothing for this long, in ms, while there is something to take, is cut off.
   */
  slowReaderMs: number;
}

/** What is held for a reader that is offered more than it takes, in bytes. */
const maxBacklogBytes = 1024 * 1024;

/**
 * One open answer of Server-Sent Events.
 *
 * Owns the response and two timers. Does not own where the events come from: `closed` tells its
 * holder to stop that.
 *
 * Invariants: 1. What is held for a slow reader is bounded: `write` waits until the response
 * drains, `offer` cuts the reader off. 2. However it ends (caller gone, reader too slow, `end`,
 * `cutOff`), `closed` resolves and no timer is left.
 */
export class EventStream {
  /** Resolves once the stream has ended. */
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
   * Writes text and waits until there is room for more; false where there will be none. One at a
   * time.
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

  /** Writes text without waiting; a reader that has too much left to take is cut off. */
  offer(text: string): void {
    if (!this.#open) return;
    if (this.#response.writableLength > maxBacklogBytes) this.cutOff();
    else if (!this.#response.write(text)) this.#watch();
  }

  /** Ends the stream after what was written. */
  end(): void {
    if (!this.#open) return;
    this.#close();
    this.#response.end();
    // A reader that is stuck does not take the rest either.
    this.#slow = setTimeout(() => this.#response.destroy(), this.#options.slowReaderMs).unref();
  }

  /** Breaks the connection: the reader comes back and resumes where it was. */
  cutOff(): void {
    this.#close();
    this.#response.destroy();
  }

  /** From here on the reader must take something in time. */
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

  #close(): void {
    if (!this.#open) return;
    this.#open = false;
    clearInterval(this.#comments);
    this.#drain();
    this.#resolveClosed();
  }
}
