export interface MailboxOptions {
  /** The number of items that the consumer may be behind. */
  capacity: number;
  /** Ends the iteration. */
  signal?: AbortSignal | undefined;
  /** Called once, however the iteration ends. */
  onClose: () => void;
}

/**
 * The capacity for a consumer that cannot resume. The frames of one commit arrive before a consumer
 * can read, so it is several times their number. A pass has up to 1,000 opcodes, and each emitted
 * event may start several runs.
 */
export const burst = 10_000;

const finished = { done: true, value: undefined } as const;

/**
 * A bounded queue between a producer and a consumer that iterates. A consumer that falls too far
 * behind is cut off: its iteration ends, and it may connect again.
 */
export class Mailbox<Item> implements AsyncIterableIterator<Item> {
  readonly #options: MailboxOptions;
  readonly #latch = new Latch();
  readonly #finish = (): void => this.#close();
  #items: Item[] = [];
  #isOver = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: MailboxOptions) {
    this.#options = options;
    if (options.signal?.aborted) this.#close();
    else options.signal?.addEventListener('abort', this.#finish, { once: true });
  }

  offer(item: Item): void {
    if (this.#isOver) return;
    if (this.#items.length < this.#options.capacity) {
      this.#items.push(item);
      this.#latch.open();
    } else this.#close();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    const result = this.#turn.then(() => this.#advance());
    this.#turn = result;
    return result;
  }

  async return(): Promise<IteratorResult<Item, undefined>> {
    this.#close();
    return finished;
  }

  async #advance(): Promise<IteratorResult<Item, undefined>> {
    while (!this.#isOver) {
      const [item] = this.#items;
      if (item !== undefined) {
        this.#items.shift();
        return { done: false, value: item };
      }
      await this.#latch.wait();
    }
    return finished;
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#items = [];
    this.#options.signal?.removeEventListener('abort', this.#finish);
    this.#options.onClose();
    this.#latch.open();
  }
}

/** Suspends one waiter until it is opened. An opening without a waiter is remembered. */
export class Latch {
  #isOpen = false;
  #release: (() => void) | undefined;

  wait(): Promise<void> {
    if (this.#isOpen) {
      this.#isOpen = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  open(): void {
    const release = this.#release;
    this.#release = undefined;
    if (release) release();
    else this.#isOpen = true;
  }
}
