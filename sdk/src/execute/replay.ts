import type { MemoEntry } from '../protocol.ts';

/**
 * Owns: the order in which the saved steps of a run settle. The service lists them in the order in
 * which they were completed; here each settles in that order, one after the other, with everything
 * that follows from one done before the next. So a `Promise.race` is won in every pass by the step
 * that won it first.
 *
 * Invariants: R1 A turn is given once all earlier ones were given or skipped. R2 Between two turns
 * the microtask queue runs empty. R3 Once the handler is over, no turn is given: a branch that lost
 * a race does not go on from there.
 */
export class Replay {
  readonly #saved = new Map<string, Saved>();
  readonly #places: Place[] = [];
  readonly #tick = (): void => process.nextTick(this.#giveOne);
  readonly #giveOne = (): void => this.#give();
  #settled = 0;
  #given = 0;
  #next = 0;
  #waiting = 0;
  #isScheduled = false;
  #isStopped = false;

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
    return this.#waiting > 0 && !this.#isScheduled && !this.#isStopped;
  }

  /** The handler is over. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Gives up on the saved steps that the handler does not reach, up to the first that it did. */
  skip(): void {
    while (this.#places[this.#next] === undefined) this.#places[this.#next++] = 'skipped';
    this.#schedule();
  }

  /**
   * Hashed ids of the saved steps that the handler did not reach, or not in their turn while it was
   * under way.
   */
  unreached(): string[] {
    if (this.#given === this.#settled) return [];
    const isUnreached = ({ rank }: Saved): boolean => rank !== undefined && !this.#isReached(this.#places[rank]);
    return [...this.#saved].filter(([, saved]) => isUnreached(saved)).map(([id]) => id);
  }

  #isReached(place: Place): boolean {
    return place === 'given' || (this.#isStopped && typeof place === 'function');
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isStopped || typeof this.#places[this.#next] !== 'function') return;
    this.#isScheduled = true;
    // A tick that is asked for from a microtask comes once the microtasks have run out.
    void microtask.then(this.#tick);
  }

  #give(): void {
    const turn = this.#places[this.#next];
    this.#isScheduled = false;
    if (typeof turn !== 'function' || this.#isStopped) return;
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

/**
 * What became of a saved step: its turn is to come, was given or was given up; undefined: it was
 * not reached.
 */
type Place = Turn | 'given' | 'skipped' | undefined;

/** `queueMicrotask` makes an asynchronous resource each time: a long run has thousands of turns. */
const microtask = Promise.resolve();

function isPending(entry: MemoEntry): boolean {
  return 'pending' in entry && entry.pending;
}
