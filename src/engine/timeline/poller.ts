import type { Logger } from 'pino';

export interface PollerOptions {
  /** What is looked after, for the log. */
  what: string;
  log: Logger;
  /** Milliseconds from the end of one look to the next; undefined: nothing to look after, rest. */
  nextInMs: () => number | undefined;
  runOnce: () => Promise<unknown>;
}

/**
 * After a look that failed the next one is at least so far off, however much there is to look
 * after.
 */
const failedMs = 1_000;

/**
 * Looks again and again while there is something to look after. It rests by itself, keeps no
 * process alive, and goes on after a look that failed.
 */
export class Poller {
  readonly #options: PollerOptions;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer is due. */
  #dueAt = 0;
  /** No look is due before. */
  #restsUntil = 0;
  #isLooking = false;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** To be called whenever what there is to look after has changed. */
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
      this.#options.log.warn({ err: error }, `could not look for new ${this.#options.what}`);
    }
    this.#isLooking = false;
    this.#rest();
    this.adjust();
  }
}
