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
 * R4 Entries that come later take their turns as if they had stood at the end of the first memo.
 */
export class Replay {
  /** The saved steps, and those that the handler has reached, by hashed id. */
  readonly #steps = new Map<string, Step>();
  readonly #states: StepState[] = [];
  readonly #tick = (): void => process.nextTick(this.#giveOne);
  readonly #giveOne = (): void => this.#give();
  #saved = 0;
  #reached = 0;
  #settled = 0;
  #given = 0;
  #next = 0;
  #waiting = 0;
  #isScheduled = false;
  #isStopped = false;

  constructor(memo: Record<string, MemoEntry>) {
    this.add(memo);
  }

  /** Adds entries, in the order of their ends. An entry replaces an earlier pending one. */
  add(memo: Record<string, MemoEntry>): void {
    for (const [id, entry] of Object.entries(memo)) {
      const step = this.#stepOf(id);
      if (!step.isSaved) {
        step.isSaved = true;
        this.#saved += 1;
        if (step.isReached) this.#reached += 1;
      }
      if (isPending(entry) || step.rank !== undefined) continue;
      step.rank = this.#settled++;
      step.entry = entry;
      this.#queue(step);
    }
  }

  /** Whether the memo has an entry of this hashed id, pending or settled. */
  isSaved(id: string): boolean {
    return this.#steps.get(id)?.isSaved === true;
  }

  /** The handler has reached a step, once. `settle` is its turn, when the step is settled. */
  reach(id: string, settle: (entry: MemoEntry) => void): void {
    const step = this.#stepOf(id);
    if (step.isSaved && !step.isReached) this.#reached += 1;
    step.isReached = true;
    step.settle = settle;
    this.#queue(step);
  }

  /** How many entries the handler reached; undefined without any entry. */
  get reached(): number | undefined {
    return this.#saved === 0 ? undefined : this.#reached;
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
    const isUnreached = ({ rank }: Step): boolean => rank !== undefined && !this.#isReached(this.#states[rank]);
    return [...this.#steps].filter(([, step]) => isUnreached(step)).map(([id]) => id);
  }

  #stepOf(id: string): Step {
    const known = this.#steps.get(id);
    if (known !== undefined) return known;
    const made: Step = {
      isSaved: false,
      isReached: false,
      rank: undefined,
      entry: undefined,
      settle: undefined,
    };
    this.#steps.set(id, made);
    return made;
  }

  /** Queues the turn of a step that is both reached and settled. */
  #queue(step: Step): void {
    const { entry, rank, settle } = step;
    if (entry === undefined || rank === undefined || settle === undefined) return;
    // A handler may be suspended for long: it keeps the results of its steps, not this map.
    step.entry = undefined;
    step.settle = undefined;
    this.#states[rank] = () => settle(entry);
    this.#waiting += 1;
    // The handler may reach a step after it was skipped.
    if (rank < this.#next) this.#next = rank;
    this.#schedule();
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

interface Step {
  isSaved: boolean;
  isReached: boolean;
  /** The position among the settled steps; undefined until the step is settled. */
  rank: number | undefined;
  /** Of a settled step that was not reached. */
  entry: MemoEntry | undefined;
  /** Of a reached step that is not settled. */
  settle: ((entry: MemoEntry) => void) | undefined;
}

/**
 * The state of a saved step: its turn is due, has begun or was skipped. Undefined: the handler has
 * not reached it.
 */
type StepState = (() => void) | 'given' | 'skipped' | undefined;

/**
 * `queueMicrotask` would create an asynchronous resource each time, and a long run has thousands of
 * turns.
 */
const microtask = Promise.resolve();

function isPending(entry: MemoEntry): boolean {
  return 'pending' in entry && entry.pending;
}
