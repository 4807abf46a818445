import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { backoffMs } from '../engine/db/index.ts';
import { within } from './within.ts';

export interface OutboxOptions<Item> {
  /** For the log. */
  name: string;
  send: (items: readonly Item[]) => Promise<void>;
  log: Logger;
}

/** A queue of items to send. Sends many at a time, and retries until they are received. */
export class Outbox<Item> {
  readonly #options: OutboxOptions<Item>;
  #queue: Item[] = [];
  #sending: Promise<void> | undefined;

  constructor(options: OutboxOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    this.#queue.push(item);
    this.#sending ??= this.#send();
  }

  /** Resolves when all items are sent, or after the timeout. */
  async idle(withinMs: number): Promise<void> {
    if (this.#sending) await within(withinMs, this.#sending);
  }

  async #send(): Promise<void> {
    const { log, name, send } = this.#options;
    // Items that are added in the same turn share a request.
    await Promise.resolve();
    for (let failures = 0; this.#queue.length > 0; ) {
      const batch = this.#queue.slice(0, maxBatch);
      try {
        await send(batch);
        this.#queue.splice(0, batch.length);
        failures = 0;
      } catch (error) {
        failures += 1;
        log.warn({ err: error, items: batch.length, failures }, `${name} failed: retrying`);
        await delay(backoffMs(failures), undefined, { ref: false });
        if (failures === maxFailures) this.#queue = [];
      }
    }
    this.#sending = undefined;
  }
}

const maxBatch = 500;
/** After some 95 s items are dropped: the liveness window of a runner has ended by then. */
const maxFailures = 50;
