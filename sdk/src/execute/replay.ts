import type { MemoEntry } from '../protocol.ts';

/**
 * Owns: the order in which the saved steps of a run settle. The service lists them in the order in which they were
 * completed; here each settles in that order, one after the other, with everything that follows from one done before
 * the next. So a `Promise.race` is won in every pass by the step that won it first.
 *
 * Invariants:
 * R1 A turn is given once all earlier ones were given or skipped.
 * R2 Between two turns the microtask queue runs empty.
 */
export class Replay {
  readonly #saved = new Map<string, Saved>();
  readonly #places: (Turn | 'given' | 'skipped' | undefined)[] = [];
  readonly #tick = (): void => process.nextTick(this.#giveOne);
  readonly #giveOne = (): void => this.#give();
  #settled = 0;
  #given = 0;
  #next = 0;
  #waiting = 0;
  #isScheduled = false;

  constructor(memo: Record<string, MemoEntry>) {
    for (const [id, entry] of Object.entries(memo)) {
      this.#saved.set(id, { entry, rank: isPending(entry) ? undefined : this.#settled++ });
    }
  }

  /** What is saved under a hashed id; its rank is undefined while the step is pending. */
  get(id: string): Saved | undefined {
    return this.#saved.get(id);
  }

  /** The handler reached a saved step: `turn` settles it, when it is its turn. */
  take(rank: number, turn: Turn): void {
    this.#places[rank] = turn;
    this.#waiting += 1;
    // A step may be reached after it was given up.
    if (rank < this.#next) this.#next = rank;
    this.#schedule();
  }

  /** Steps were reached whose turn does not come, because an earlier one was not reached. */
  get isHeld(): boolean {
    return this.#waiting > 0 && !this.#isScheduled;
  }

  /** Gives up on the saved steps that the handler does not reach, up to the first that it did. */
  skip(): void {
    while (this.#places[this.#next] === undefined) this.#places[this.#next++] = 'skipped';
    this.#schedule();
  }

  /** Hashed ids of the saved steps that the handler did not reach, or not in their turn. */
  unreached(): string[] {
    if (this.#given === this.#settled) return [];
    const isUnreached = ({ rank }: Saved): boolean => rank !== undefined && this.#places[rank] !== 'given';
    return [...this.#saved].filter(([, saved]) => isUnreached(saved)).map(([id]) => id);
  }

  #schedule(): void {
    if (this.#isScheduled || typeof this.#places[this.#next] !== 'function') return;
    this.#isScheduled = true;
    // A tick that is asked for from a microtask comes once the microtasks have run out.
    void microtask.then(this.#tick);
  }

  #give(): void {
    const turn = this.#places[this.#next];
    this.#isScheduled = false;
    if (typeof turn !== 'function') return;
    this.#places[this.#next] = 'given';
    this.#given += 1;
    this.#waiting -= 1;
    while (this.#places[this.#next] === 'given' || this.#places[this.#next] === 'skipped') this.#next += 1;
    turn();
    this.#schedule();
  }
}

export interface Saved {
  readonly entry: MemoEntry;
  /** Its place among the settled steps. */
  readonly rank: number | undefined;
}

type Turn = () => void;

/** `queueMicrotask` makes an asynchronous resource each time: a long run has thousands of turns. */
const microtask = Promise.resolve();

function isPending(entry: MemoEntry): boolean {
  return 'pending' in entry && entry.pending;
}
