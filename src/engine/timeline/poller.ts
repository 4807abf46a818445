import type { Logger } from 'pino';

export interface PollerOptions {
  /** The subject, for the log. */
  what: string;
  log: Logger;
  /** Milliseconds from the end of one look to the next; undefined: rest. */
  nextInMs: () => number | undefined;
  runOnce: () => Promise<unknown>;
}

/** The least delay after a failed look. */
const failedMs = 1_000;

/**
 * Repeats a look while there is something to look for. It rests by itself, keeps no process alive,
 * and continues after a failed look.
 */
export class Poller {
  readonly #options: PollerOptions;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer is due. */
  #dueAt = 0;
  /** The earliest time of the next look. */
  #restsUntil = 0;
  #isLooking = false;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** To be called after each change of `nextInMs`. */
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
      this.#options.log.warn({ err: error }, `look for ${this.#options.what} failed`);
    }
    this.#isLooking = false;
    this.#rest();
    this.adjust();
  }
}
