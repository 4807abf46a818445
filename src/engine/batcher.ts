import { isConnectionLost } from './db/index.ts';
import { busy } from './errors.ts';

/**
 * Natural batching: items that arrive during a flush wait, and share the next one. No timer is
 * involved, so a single item is not delayed. Under load, one transaction carries hundreds.
 */
export interface BatcherOptions<Item, Result> {
  /**
   * Writes the items together, and returns one result per item, in order. If it fails, each item is
   * retried alone. If the connection was lost, all items are rejected.
   */
  flush: (items: Item[]) => Promise<Result[]>;
  maxItems: number;
  /** The maximum number of flushes in progress. */
  maxInFlight: number;
  /** The maximum number of waiting items. Beyond it, `add` rejects at once. */
  maxQueued: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
}

export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  #queue: Waiting<Item, Result>[] = [];
  #inFlight = 0;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves with the item's result after its flush has committed. */
  add(item: Item): Promise<Result> {
    if (this.#queue.length >= this.#options.maxQueued) return Promise.reject(busy('the write queue is full: retry'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      if (this.#queue.length === 1) this.#deferPump();
    });
  }

  /**
   * Items that arrive in one turn of the event loop share a flush. A single item does not wait for
   * others.
   */
  #deferPump(): void {
    if (this.#inFlight === 0) queueMicrotask(() => this.#pump());
    else setImmediate(() => this.#pump());
  }

  #pump(): void {
    while (this.#queue.length > 0 && this.#inFlight < this.#options.maxInFlight) {
      const batch = this.#queue.splice(0, this.#options.maxItems);
      this.#inFlight += 1;
      void this.#run(batch).finally(() => {
        this.#inFlight -= 1;
        this.#pump();
      });
    }
  }

  async #run(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.flush(batch.map((each) => each.item));
      batch.forEach((each, position) => {
        const result = results[position];
        if (result === undefined) each.reject(new Error('a flush returned no result for an item'));
        else each.resolve(result);
      });
    } catch (error) {
      const [only] = batch;
      if (batch.length === 1 && only) only.reject(error);
      // The commit may have succeeded. A retry could mistake this batch's own rows for duplicates.
      else if (isConnectionLost(error)) for (const each of batch) each.reject(error);
      // A bad item must not fail the others, so each item gets its own transaction.
      else for (const each of batch) await this.#run([each]);
    }
  }
}
