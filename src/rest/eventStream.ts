import type { ServerResponse } from 'node:http';
import { comment, formatEvent, type ServerSentEvent, streamHeaders } from './sse.ts';

export interface EventStreamOptions {
  /** A comment line this often, in ms. */
  commentMs: number;
  /** A reader that takes nothing for this long, in ms, while there is something to take, is cut off. */
  slowReaderMs: number;
}

/**
 * One open answer of Server-Sent Events.
 *
 * Owns the response and two timers. Does not own where the events come from: `onClosed` tells its holder to stop that.
 *
 * Invariants:
 *   1. At most one event is handed to the response beyond what its buffer takes: `write` waits until it drains.
 *   2. However it ends (caller gone, reader too slow, `end`, `cutOff`), `onClosed` is called once and no timer is left.
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #options: EventStreamOptions;
  readonly #comments: NodeJS.Timeout;
  #onClosed: (() => void) | undefined;
  #drained: (() => void) | undefined;
  #slow: NodeJS.Timeout | undefined;
  #open = true;

  /** Answers `200` with the head of a stream. */
  constructor(response: ServerResponse, options: EventStreamOptions) {
    this.#response = response;
    this.#options = options;
    this.#comments = setInterval(() => this.#comment(), options.commentMs).unref();
    response.on('drain', () => this.#drain());
    response.on('close', () => {
      clearTimeout(this.#slow);
      this.#close();
    });
    response.writeHead(200, streamHeaders);
    response.flushHeaders();
    if (response.destroyed) this.#close();
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Calls `listener` once when the stream has ended; at once where it already has. */
  onClosed(listener: () => void): void {
    if (this.#open) this.#onClosed = listener;
    else listener();
  }

  /** Writes an event and waits until there is room for the next; false where there will be none. One at a time. */
  async write(event: ServerSentEvent): Promise<boolean> {
    if (!this.#open) return false;
    if (!this.#response.write(formatEvent(event))) await this.#room();
    return this.#open;
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

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained = resolve;
      this.#slow = setTimeout(() => this.cutOff(), this.#options.slowReaderMs).unref();
    });
  }

  #drain(): void {
    clearTimeout(this.#slow);
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
    this.#onClosed?.();
  }
}
