import type { MemoEntry } from '../protocol.ts';

/**
 * Owns: the order in which the saved steps of a run settle. The service lists steps in the order of
 * their completion. Here each settles in that order, and its direct effects finish before the next
 * one. So the step that won a `Promise.race` first wins it in every pass.
 *
 * Invariants:
 * R1 A turn begins after all earlier turns began or were skipped.
 * R2 The microtask queue runs empty between two turns.
 * R3 After the handler has ended, no turn begins: a branch that lost a race does not continue.
 */
export class Replay {
  readonly #saved = new Map<string, Saved>();
  readonly #states: StepState[] = [];
  readonly #tick = (): void => process.nextTick(this.#giveOne);
  readonly #giveOne = (): void => this.#give();
  readonly #reached = new Set<string>();
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

  /** The entry of a hashed id that the handler reached; a pending step has no rank. */
  get(id: string): Saved | undefined {
    const saved = this.#saved.get(id);
    if (saved !== undefined) this.#reached.add(id);
    return saved;
  }

  /** How many entries the handler reached; undefined without any entry. */
  get reached(): number | undefined {
    return this.#saved.size === 0 ? undefined : this.#reached.size;
  }

  /** Registers a saved step that the handler reached. `turn` settles it. */
  take(rank: number, turn: Turn): void {
    this.#states[rank] = turn;
    this.#waiting += 1;
    // The handler may reach a step after it was skipped.
    if (rank < this.#next) this.#next = rank;
    this.#schedule();
  }

  /** Whether reached steps wait for an earlier one that was not reached. */
  get isHeld(): boolean {
    return this.#waiting > 0 && !this.#isScheduled && !this.#isStopped;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Skips the saved steps that the handler does not reach, up to the first reached one. */
  skip(): void {
    while (this.#states[this.#next] === undefined) this.#states[this.#next++] = 'skipped';
    this.#schedule();
  }

  /** Hashed ids of the saved steps that the handler did not reach in their turn. */
  unreached(): string[] {
    if (this.#given === this.#settled) return [];
    const isUnreached = ({ rank }: Saved): boolean => rank !== undefined && !this.#isReached(this.#states[rank]);
    return [...this.#saved].filter(([, saved]) => isUnreached(saved)).map(([id]) => id);
  }

  #isReached(state: StepState): boolean {
    return state === 'given' || (this.#isStopped && typeof state === 'function');
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isStopped || typeof this.#states[this.#next] !== 'function') return;
    this.#isScheduled = true;
    // A tick requested in a microtask runs when the microtask queue is empty.
    void microtask.then(this.#tick);
  }

  #give(): void {
    const turn = this.#states[this.#next];
    this.#isScheduled = false;
    if (typeof turn !== 'function' || this.#isStopped) return;
    this.#states[this.#next] = 'given';
    this.#given += 1;
    this.#waiting -= 1;
    while (this.#states[this.#next] === 'given' || this.#states[this.#next] === 'skipped') this.#next += 1;
    turn();
    this.#schedule();
  }
}

export interface Saved {
  readonly entry: MemoEntry;
  /** The position among the settled steps. */
  readonly rank: number | undefined;
}

type Turn = () => void;

/**
 * The state of a saved step: its turn is due, has begun or was skipped. Undefined: the handler has
 * not reached it.
 */
type StepState = Turn | 'given' | 'skipped' | undefined;

/**
 * `queueMicrotask` would create an asynchronous resource each time, and a long run has thousands of
 * turns.
 */
const microtask = Promise.resolve();

function isPending(entry: MemoEntry): boolean {
  return 'pending' in entry && entry.pending;
}
