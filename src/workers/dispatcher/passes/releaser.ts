import type { Logger } from 'pino';
import type { ClaimedPass } from '../work.ts';

/**
 * Hands passes back until the database has heard it: one that is in no memory but still leased to a living dispatcher
 * would hang for good.
 */
export class Releaser<Pass extends ClaimedPass> {
  readonly #release: (passes: readonly Pass[]) => Promise<void>;
  readonly #log: Logger;
  #queue: Pass[] = [];
  #running: Promise<void> | undefined;

  constructor(release: (passes: readonly Pass[]) => Promise<void>, log: Logger) {
    this.#release = release;
    this.#log = log;
  }

  add(pass: Pass): void {
    this.#queue.push(pass);
    this.#running ??= this.#run();
  }

  /** Passes whose release is not committed yet. */
  get size(): number {
    return this.#queue.length;
  }

  /** Resolves once everything is handed back. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Whatever is given up in the same turn goes together.
    await Promise.resolve();
    for (let failures = 0; this.#queue.length > 0; ) {
      const batch = this.#queue.slice(0, maxBatch);
      try {
        await this.#release(batch);
        failures = 0;
        const done = new Set(batch);
        this.#queue = this.#queue.filter((pass) => !done.has(pass));
      } catch (error) {
        failures += 1;
        this.#log.warn({ err: error, passes: batch.length }, 'passes could not be handed back yet');
        const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** failures);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
    this.#running = undefined;
  }
}

const maxBatch = 500;
const firstPauseMs = 50;
const maxPauseMs = 2_000;
