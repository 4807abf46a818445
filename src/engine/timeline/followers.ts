import type { JournalReader } from './journalTail.ts';

/** A journal, and the number of the last entry that its readers hold. */
export interface Tip {
  key: string;
  seq: number;
  /** Whether a reader waits for a decision that the run needs. */
  awaitsDecision: boolean;
}

/** The readers of each journal, in one process. */
export class Followers<Entry> {
  readonly #byKey = new Map<string, Set<JournalReader<Entry>>>();
  #count = 0;

  /** How many readers there are. */
  get count(): number {
    return this.#count;
  }

  get keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  of(key: string): Iterable<JournalReader<Entry>> {
    return this.#byKey.get(key) ?? [];
  }

  /** Adds a reader; the returned function removes it, and says whether it was there. */
  add(key: string, reader: JournalReader<Entry>): () => boolean {
    const readers = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, readers.add(reader));
    this.#count += 1;
    return () => {
      if (!readers.delete(reader)) return false;
      if (readers.size === 0 && this.#byKey.get(key) === readers) this.#byKey.delete(key);
      this.#count -= 1;
      return true;
    };
  }

  /** The tip of the hindmost reader of each journal. Omits journals whose readers all read. */
  oldestTips(keys: Iterable<string> = this.keys): Tip[] {
    const oldest: Tip[] = [];
    for (const key of keys) {
      let seq: number | undefined;
      let awaitsDecision = false;
      for (const reader of this.of(key)) {
        const { tip } = reader;
        if (tip === undefined) continue;
        seq = seq === undefined ? tip : Math.min(seq, tip);
        awaitsDecision ||= reader.awaitsDecision ?? false;
      }
      if (seq !== undefined) oldest.push({ key, seq, awaitsDecision });
    }
    return oldest;
  }
}
