import type { Logger } from 'pino';

export interface PollerOptions {
  /** The subject, for the log. */
  what: string;
  log: Logger;
  /** The delay from the end of one poll to the next, in ms; undefined: none follows. */
  nextInMs: () => number | undefined;
  runOnce: () => Promise<unknown>;
}

/** The least delay after a failed poll. */
const failedMs = 1_000;

/**
 * Repeats a poll while `nextInMs` has a delay. The poller does not keep the process alive, and
 * continues after a failed poll.
 */
export class Poller {
  readonly #options: PollerOptions;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer is due. */
  #dueAt = 0;
  /** The earliest time of the next poll. */
  #restsUntil = 0;
  #isLooking = false;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** Call this after each change of `nextInMs`. */
  adjust(): void {
    if (this.#isLooking) return;
    const inMs = this.#options.nextInMs();
    if (inMs === undefined) this.#rest();
    else this.#lookAt(Math.max(performance.now() + inMs, this.#restsUntil));
  }

  #lookAt(dueAt: number): void {
    if (this.#timer && this.#dueAt <= dueAt) return;
    this.#rest();
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => void this.#look(), dueAt - performance.now()).unref();
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    try {
      await this.#options.runOnce();
    } catch (error) {
      this.#restsUntil = performance.now() + failedMs;
      this.#options.log.warn({ err: error }, `polling for ${this.#options.what} failed: retrying`);
    }
    this.#isLooking = false;
    this.#rest();
    this.adjust();
  }
}
