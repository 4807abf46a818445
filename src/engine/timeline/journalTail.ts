import { Latch } from './mailbox.ts';

/** An entry of a journal: `seq` counts up without gaps. */
interface Numbered {
  seq: number;
}

/** A follower of a journal. */
export interface JournalReader<Entry> {
  /**
   * The number of the last entry that the reader holds; undefined while it will read the database
   * anyway.
   */
  readonly tip: number | undefined;
  /** Whether the reader looks when its run needs a decision, whatever its tip is. */
  readonly awaitsDecision?: boolean;
  /** Whether the reader only waits for an end, or for a decision. */
  readonly awaitsEnd?: boolean;
  /** Entries that were just committed, in order and without a gap between them. */
  offer(entries: readonly Entry[]): void;
  /** The database holds more than was offered. */
  look(): void;
}

export interface JournalPage<Entry> {
  entries: Entry[];
  /** Whether the database may hold more. */
  isFull: boolean;
  /** Whether the journal has ended. */
  isLast?: boolean | undefined;
}

/** A journal, as its tails read it. */
export interface Journal<Entry> {
  /** The limits of the entries that a tail holds. */
  readonly maxEntries: number;
  readonly maxWeight: number;
  weigh(entry: Entry): number;
  /** Offers what is committed, until the returned function is called. */
  follow(reader: JournalReader<Entry>): () => void;
  /** Called once, before the first page. Throws if the journal does not exist. */
  check?(): Promise<unknown>;
  /** The entries after a number. */
  read(from: number): Promise<JournalPage<Entry>>;
  /** Whether the consumer asked for the entry. */
  isWanted?(entry: Entry): boolean;
  /** Whether the entry ends the journal. */
  isEnd?(entry: Entry): boolean;
}

export interface JournalPosition {
  /** The last number seen. */
  from: number;
  /** Ends the tail. */
  signal?: AbortSignal | undefined;
}

const finished = { done: true, value: undefined } as const;

/**
 * Owns: the position of one reader in one journal.
 * Does not own: the timer, the bus (`FrameHub`, `EventHub`).
 *
 * Invariants:
 * T1. Entries are delivered in order of `seq`, each once, without gaps.
 * T2. `#page` continues at `#position` without a gap. An entry that does not fit is dropped, and
 *     `#isBehind` is set: the database is read once the page is used up. So a slow consumer costs
 *     one page, and loses no entry.
 * T3. The tail ends after the entry that ends the journal.
 */
export class JournalTail<Entry extends Numbered> implements AsyncIterableIterator<Entry>, JournalReader<Entry> {
  readonly #journal: Journal<Entry>;
  readonly #signal: AbortSignal | undefined;
  readonly #latch = new Latch();
  readonly #finish = (): void => this.#close();
  #position: number;
  #page: Entry[] = [];
  #weight = 0;
  #isBehind = true;
  #isReading = false;
  #isOver = false;
  #leave: (() => void) | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(journal: Journal<Entry>, { from, signal }: JournalPosition) {
    this.#journal = journal;
    this.#position = from;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Entry, undefined>> {
    const result = this.#turn.then(() => this.#advance());
    this.#turn = result.catch(() => this.#close());
    return result;
  }

  /** Ends the tail at once, even while a `next` waits. */
  async return(): Promise<IteratorResult<Entry, undefined>> {
    this.#close();
    return finished;
  }

  get tip(): number | undefined {
    return this.#isBehind || this.#isReading ? undefined : (this.#page.at(-1)?.seq ?? this.#position);
  }

  /** T2 */
  offer(entries: readonly Entry[]): void {
    const { tip } = this;
    const newEntries = entries.filter(({ seq }) => tip === undefined || seq > tip);
    if (newEntries.length === 0) return;
    if (tip !== undefined && this.#fitsOn(tip, newEntries)) {
      this.#page.push(...newEntries);
      this.#weight += this.#weigh(newEntries);
    } else this.#isBehind = true;
    this.#latch.open();
  }

  look(): void {
    this.#isBehind = true;
    this.#latch.open();
  }

  #fitsOn(tip: number, newEntries: readonly Entry[]): boolean {
    if (newEntries[0]?.seq !== tip + 1) return false;
    const { maxEntries, maxWeight } = this.#journal;
    return this.#page.length + newEntries.length <= maxEntries && this.#weight + this.#weigh(newEntries) <= maxWeight;
  }

  async #advance(): Promise<IteratorResult<Entry, undefined>> {
    await this.#open();
    while (!this.#isOver) {
      const entry = this.#page.shift();
      if (!entry) await (this.#isBehind ? this.#read() : this.#latch.wait());
      else if (this.#take(entry)) return { done: false, value: entry };
    }
    return finished;
  }

  #take(entry: Entry): boolean {
    this.#position = entry.seq;
    this.#weight -= this.#journal.weigh(entry);
    if (this.#journal.isEnd?.(entry)) this.#close(); // T3
    return this.#journal.isWanted?.(entry) ?? true;
  }

  /** T1. Follows before it reads, so that no entry is lost in between. */
  async #open(): Promise<void> {
    if (this.#leave || this.#isOver) return;
    if (this.#signal?.aborted) return this.#close();
    this.#signal?.addEventListener('abort', this.#finish, { once: true });
    this.#leave = this.#journal.follow(this);
    await this.#journal.check?.();
  }

  async #read(): Promise<void> {
    this.#isBehind = false;
    this.#isReading = true;
    try {
      const { entries, isFull, isLast } = await this.#journal.read(this.#position);
      this.#page = entries;
      this.#weight = this.#weigh(entries);
      if (isFull) this.#isBehind = true;
      if (isLast) this.#close();
    } finally {
      this.#isReading = false;
    }
  }

  #weigh(entries: readonly Entry[]): number {
    return entries.reduce((sum, entry) => sum + this.#journal.weigh(entry), 0);
  }

  #close(): void {
    this.#isOver = true;
    this.#signal?.removeEventListener('abort', this.#finish);
    this.#leave?.();
    this.#page = [];
    this.#latch.open();
  }
}
