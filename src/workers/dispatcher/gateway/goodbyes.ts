import type { Logger } from 'pino';
import { within } from '../within.ts';

/** Tells the registry of sockets that are gone: many at a time, and again until it has heard it. */
export class Goodbyes {
  readonly #disconnect: (connectionIds: readonly string[]) => Promise<void>;
  readonly #log: Logger;
  #queue: string[] = [];
  #running: Promise<void> | undefined;

  constructor(disconnect: (connectionIds: readonly string[]) => Promise<void>, log: Logger) {
    this.#disconnect = disconnect;
    this.#log = log;
  }

  add(connectionId: string): void {
    this.#queue.push(connectionId);
    this.#running ??= this.#run();
  }

  /** Resolves once all are told, or after that time. */
  async idle(withinMs: number): Promise<void> {
    if (this.#running) await within(withinMs, this.#running);
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    for (let failures = 0; this.#queue.length > 0 && failures < maxFailures; ) {
      const batch = this.#queue.slice(0, maxBatch);
      try {
        await this.#disconnect(batch);
        this.#queue.splice(0, batch.length);
        failures = 0;
      } catch (error) {
        failures += 1;
        this.#log.warn({ err: error, sockets: batch.length }, 'closed sockets could not be recorded yet');
        const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** failures);
        await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
      }
    }
    this.#queue = [];
    this.#running = undefined;
  }
}

const maxBatch = 500;
/** By then the runners are past their liveness window anyway. */
const maxFailures = 50;
const firstPauseMs = 50;
const maxPauseMs = 2_000;
