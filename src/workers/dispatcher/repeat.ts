import type { Logger } from 'pino';

/**
 * Runs something again and again, never twice at once. A failure is logged and the next turn comes as usual: each turn
 * must be able to make up for the one before.
 */
export class Repeat {
  readonly #name: string;
  readonly #everyMs: number;
  readonly #turn: () => Promise<void> | void;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = true;

  constructor({ name, everyMs, turn, log }: RepeatOptions) {
    this.#name = name;
    this.#everyMs = everyMs;
    this.#turn = turn;
    this.#log = log;
  }

  start(): void {
    if (!this.#stopped) return;
    this.#stopped = false;
    this.#schedule();
  }

  /** No turn starts any more; resolves once the one under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#run();
    }, this.#everyMs);
  }

  async #run(): Promise<void> {
    try {
      await this.#turn();
    } catch (error) {
      this.#log.warn({ err: error, task: this.#name }, 'a turn failed');
    }
    this.#running = undefined;
    this.#schedule();
  }
}

export interface RepeatOptions {
  name: string;
  everyMs: number;
  turn: () => Promise<void> | void;
  log: Logger;
}
