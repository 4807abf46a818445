import type { StepStatus } from '../runs/index.ts';

/** The latest attempt of a step in the memo. */
export interface StepState {
  stepId: string;
  index: number;
  attempt: number;
  name: string;
  op: string;
  status: StepStatus;
  /** JSON text; undefined unless it succeeded. */
  output: string | undefined;
  /** JSON text; undefined unless it failed. */
  error: string | undefined;
  willRetry: boolean;
  /** The time of its end or retry, by the database's clock; undefined without one. */
  runAfter: Date | undefined;
}

const isSettled = ({ status, willRetry }: StepState): boolean =>
  status === 'succeeded' || status === 'skipped' || (status === 'failed' && !willRetry);

/** Whether a step's retry is due. */
const isDue = ({ willRetry, runAfter }: StepState, now: Date): boolean => willRetry && !(runAfter && runAfter > now);

/** Whether a sleep or a wait is due. */
const isOver = ({ status, runAfter }: StepState, now: Date): boolean =>
  status === 'waiting' && runAfter !== undefined && runAfter <= now;

/**
 * The known steps of a run. Settled steps are kept as the text that each invoke contains. So a pass
 * costs a concatenation, and no encoding.
 */
export class Memo {
  readonly #steps = new Map<string, StepState>();
  readonly #fragments: string[] = [];
  /** The ids of the fragments, as JSON. */
  readonly #order: string[] = [];
  /** The steps of the fragments. */
  readonly #settled: StepState[] = [];
  readonly #open = new Map<string, StepState>();
  #nextIndex = 0;
  #bytes = 0;

  static of(steps: Iterable<StepState>): Memo {
    const memo = new Memo();
    for (const step of steps) memo.put(step);
    return memo;
  }

  get(stepId: string): StepState | undefined {
    return this.#steps.get(stepId);
  }

  /** Records a step's new state. A settled step never changes again. */
  put(step: StepState): void {
    this.#steps.set(step.stepId, step);
    this.#nextIndex = Math.max(this.#nextIndex, step.index + 1);
    if (!isSettled(step)) {
      this.#open.set(step.stepId, step);
      return;
    }
    this.#open.delete(step.stepId);
    const id = JSON.stringify(step.stepId);
    const fragment = `${id}:${entryOf(step)}`;
    this.#order.push(id);
    this.#settled.push(step);
    this.#fragments.push(fragment);
    this.#bytes += Buffer.byteLength(fragment) + 1;
  }

  /** The index of the next step to be discovered. */
  get nextIndex(): number {
    return this.#nextIndex;
  }

  /** All known steps, each once. */
  get steps(): Iterable<StepState> {
    return this.#steps.values();
  }

  /** Steps that are parked or await a retry. */
  get open(): Iterable<StepState> {
    return this.#open.values();
  }

  get isEmpty(): boolean {
    return this.#steps.size === 0;
  }

  get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Steps whose failure is final, in order. */
  get failures(): StepState[] {
    return [...this.#steps.values()].filter((step) => step.status === 'failed' && !step.willRetry);
  }

  /** Size in bytes of the settled part. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Open steps that cannot continue yet: the pending steps of an invoke at that moment. */
  pending(now: Date): StepState[] {
    return [...this.#open.values()].filter((step) => !isDue(step, now));
  }

  /** Whether a due sleep or wait is still open. */
  isOverdue(now: Date): boolean {
    for (const step of this.#open.values()) if (isOver(step, now)) return true;
    return false;
  }

  /**
   * The earliest moment at which a pending step continues by itself. Steps that the answer has just
   * changed do not count. A due retry that the answer ignored does not count either: every later
   * pass offers it again.
   */
  dueAt(now: Date, changed: readonly Pick<StepState, 'stepId'>[]): Date | undefined {
    const reported = new Set(changed.map((step) => step.stepId));
    let due: Date | undefined;
    for (const { stepId, runAfter } of this.pending(now))
      if (runAfter && !reported.has(stepId) && (!due || runAfter < due)) due = runAfter;
    return due;
  }

  /** The number of settled steps. */
  get settled(): number {
    return this.#settled.length;
  }

  /** Whether this memo begins with the first settled steps of another one, in the same order. */
  extends(other: Memo, settled: number): boolean {
    if (other === this) return true;
    for (let at = 0; at < settled; at += 1) if (other.#order[at] !== this.#order[at]) return false;
    return true;
  }

  /** The entries of the settled steps from that place on. A known one is `{"ok":true}`. */
  entriesFrom(place: number, isKnown: (step: StepState) => boolean): string[] {
    return this.#settled
      .slice(place)
      .map((step, at) =>
        isKnown(step) ? `${this.#order[place + at]}:{"ok":true}` : (this.#fragments[place + at] ?? ''),
      );
  }

  /** The `steps` of an invoke. */
  text(now: Date): string {
    if (this.#open.size === 0) return `{${this.#fragments.join(',')}}`;
    const pending = this.pending(now).map((step) => `${JSON.stringify(step.stepId)}:{"pending":true}`);
    return `{${[...this.#fragments, ...pending].join(',')}}`;
  }

  /**
   * The `order` of an invoke: the settled steps in the order of their ends, for languages whose
   * maps have none. Undefined for fewer than two.
   */
  get order(): string | undefined {
    return this.#order.length < 2 ? undefined : `[${this.#order.join(',')}]`;
  }

  /** Whether an opcode may report this step: it is new, or its retry is due. */
  accepts(stepId: string, now: Date): boolean {
    const known = this.#steps.get(stepId);
    return !known || (!isSettled(known) && isDue(known, now));
  }

  /** The next attempts of the steps that are to run again. */
  nextAttempts(now: Date): Record<string, number> | undefined {
    const due = [...this.#open.values()].filter((step) => isDue(step, now));
    return due.length === 0 ? undefined : Object.fromEntries(due.map((step) => [step.stepId, step.attempt + 1]));
  }
}

function entryOf({ status, output, error }: StepState): string {
  if (status === 'failed') return `{"error":${error ?? '{"message":"unknown"}'}}`;
  return `{"data":${status === 'skipped' ? 'null' : (output ?? 'null')}}`;
}
