import type { Logger } from 'pino';

/**
 * Something that many ask for and that need be done but once for all of them: at once for the first, then at most once
 * per interval, never twice at a time. Asked for while it runs, it runs again. A failure is tried again.
 */
export class Coalesced {
  readonly #options: CoalescedOptions;
  #isAsked = false;
  #isRunning = false;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: CoalescedOptions) {
    this.#options = options;
  }

  ask(): void {
    this.#isAsked = true;
    if (!this.#isRunning && !this.#timer && !this.#stopped) void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    const { everyMs, log, name, task } = this.#options;
    this.#isRunning = true;
    this.#isAsked = false;
    try {
      await task();
    } catch (error) {
      this.#isAsked = true;
      log.warn({ err: error, task: name }, 'will be tried again');
    }
    this.#isRunning = false;
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isAsked) this.ask();
    }, everyMs);
  }
}

export interface CoalescedOptions {
  name: string;
  everyMs: number;
  task: () => Promise<void>;
  log: Logger;
}
