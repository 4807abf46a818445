import { busy } from '../errors.ts';

/** Whether the caller has gone, so that nobody waits for the result any more. */
export type IsGone = () => boolean;

export interface StrangerLaneOptions<Found> {
  /** Reads the values that exist, by name. */
  load: (names: readonly string[]) => Promise<ReadonlyMap<string, Found>>;
  /** Reads in progress. */
  atOnce: number;
  /** Names of one read. */
  maxTogether: number;
  maxWaiting: number;
}

interface LookUp<Found> {
  callers: IsGone[];
  result: Promise<Found | undefined>;
  resolve(found: Found | undefined): void;
  reject(error: unknown): void;
}

/**
 * Look-ups of names that probably do not exist, as of guessed keys. Few reads are in progress at
 * once, and each takes many names.
 *
 * Invariants:
 * L1. A name is read once for all callers that ask for it before the read is answered.
 * L2. A name is not read if all its callers have gone before its turn.
 */
export class StrangerLane<Found> {
  readonly #options: StrangerLaneOptions<Found>;
  /** Oldest first. */
  readonly #waiting = new Map<string, LookUp<Found>>();
  readonly #begun = new Map<string, LookUp<Found>>();
  #atWork = 0;

  constructor(options: StrangerLaneOptions<Found>) {
    this.#options = options;
  }

  /** Throws `busy` if too many names wait. With `isAnew` the read has not begun yet. */
  find(name: string, isGone: IsGone, isAnew = false): Promise<Found | undefined> {
    const same = this.#waiting.get(name) ?? (isAnew ? undefined : this.#begun.get(name));
    if (same) {
      same.callers.push(isGone);
      return same.result;
    }
    if (this.#waiting.size >= this.#options.maxWaiting) return Promise.reject(overfull());
    const lookUp = newLookUp<Found>(isGone);
    this.#waiting.set(name, lookUp);
    // Names that arrive in one turn of the event loop share a read.
    if (this.#waiting.size === 1) queueMicrotask(() => this.#pump());
    return lookUp.result;
  }

  /** From now on no caller shares a read that has begun. */
  forgetBegun(): void {
    this.#begun.clear();
  }

  #pump(): void {
    while (this.#waiting.size > 0 && this.#atWork < this.#options.atOnce) {
      const batch = this.#takeBatch();
      if (batch.size === 0) return;
      this.#atWork += 1;
      void this.#read(batch).finally(() => {
        this.#atWork -= 1;
        this.#pump();
      });
    }
  }

  #takeBatch(): Map<string, LookUp<Found>> {
    const batch = new Map<string, LookUp<Found>>();
    for (const [name, lookUp] of this.#waiting) {
      if (batch.size === this.#options.maxTogether) break;
      this.#waiting.delete(name);
      // L2
      if (lookUp.callers.every((isGone) => isGone())) lookUp.reject(busy('the caller has gone'));
      else batch.set(name, lookUp);
    }
    return batch;
  }

  async #read(batch: ReadonlyMap<string, LookUp<Found>>): Promise<void> {
    for (const [name, lookUp] of batch) this.#begun.set(name, lookUp);
    try {
      const found = await this.#options.load([...batch.keys()]);
      for (const [name, lookUp] of batch) lookUp.resolve(found.get(name));
    } catch (error) {
      for (const lookUp of batch.values()) lookUp.reject(error);
    }
    for (const [name, lookUp] of batch) if (this.#begun.get(name) === lookUp) this.#begun.delete(name);
  }
}

function newLookUp<Found>(isGone: IsGone): LookUp<Found> {
  let settle: Pick<LookUp<Found>, 'resolve' | 'reject'> | undefined;
  const result = new Promise<Found | undefined>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (!settle) throw new Error('a promise without its functions');
  return { callers: [isGone], result, ...settle };
}

const overfull = (): Error => busy('too many unknown keys are being looked up: retry');
