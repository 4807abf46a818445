import type { AiUsage, MemoEntry, OpcodeKind, StepError } from '../protocol.ts';

/** One attempt of one step. Payloads are JSON texts, so that no handler changes what is saved. */
export interface StepRow {
  readonly stepId: string;
  readonly name: string;
  readonly op: OpcodeKind;
  readonly index: number;
  readonly attempt: number;
  status: 'waiting' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';
  input?: string | undefined;
  output?: string | undefined;
  error?: StepError | undefined;
  ai?: string | undefined;
  usage?: AiUsage | undefined;
  willRetry: boolean;
  /** The end of the run withdrew the retry. */
  retryWithdrawn: boolean;
  /** When the step ends or is retried by itself. */
  runAfterMs?: number | undefined;
  eventName?: string | undefined;
  eventIf?: string | undefined;
  childRunId?: string | undefined;
  startedMs: number;
  endedMs?: number | undefined;
  /** Orders the ends of steps: its position in the history of the world. */
  endedAt?: number | undefined;
}

const isSettled = ({ status, willRetry, retryWithdrawn }: StepRow): boolean =>
  status === 'succeeded' || status === 'skipped' || (status === 'failed' && !willRetry && !retryWithdrawn);

export const isOpen = ({ status, willRetry }: StepRow): boolean => status === 'waiting' || willRetry;

/** A step whose retry is due. */
const isDue = ({ willRetry, runAfterMs }: StepRow, nowMs: number): boolean =>
  willRetry && !(runAfterMs !== undefined && runAfterMs > nowMs);

/**
 * The latest attempt of each step of a run as a pass sees it, in the order in which they ended. A
 * change of the run during the pass does not reach it.
 */
export class Memo {
  readonly #steps: ReadonlyMap<string, Readonly<StepRow>>;

  constructor(rows: Iterable<StepRow>) {
    const ended = (row: StepRow): number => row.endedAt ?? Number.POSITIVE_INFINITY;
    const latest = new Map<string, StepRow>();
    for (const row of rows) latest.set(row.stepId, { ...row });
    // Infinity minus infinity is no number.
    const ordered = [...latest.values()].sort((a, b) =>
      ended(a) === ended(b) ? a.index - b.index : ended(a) - ended(b),
    );
    this.#steps = new Map(ordered.map((row) => [row.stepId, row]));
  }

  get(stepId: string): Readonly<StepRow> | undefined {
    return this.#steps.get(stepId);
  }

  get isEmpty(): boolean {
    return this.#steps.size === 0;
  }

  get nextIndex(): number {
    return this.#steps.size;
  }

  get steps(): Readonly<StepRow>[] {
    return [...this.#steps.values()];
  }

  get open(): Readonly<StepRow>[] {
    return this.steps.filter(isOpen);
  }

  /** Whether the final failure of a step is saved. */
  hasFailed(stepId: string): boolean {
    const step = this.#steps.get(stepId);
    return step?.status === 'failed' && isSettled(step);
  }

  /** Open steps that cannot continue yet. */
  pending(nowMs: number): Readonly<StepRow>[] {
    return this.open.filter((step) => !isDue(step, nowMs));
  }

  /** Whether an opcode may report this step: it is new, or its retry is due. */
  accepts(stepId: string, nowMs: number): boolean {
    const known = this.#steps.get(stepId);
    return known === undefined || isDue(known, nowMs);
  }

  /** When the first pending step continues by itself, `reported` ones aside. */
  dueMs(nowMs: number, reported: ReadonlySet<string>): number {
    const others = this.pending(nowMs).filter(({ stepId }) => !reported.has(stepId));
    return Math.min(...others.map(({ runAfterMs }) => runAfterMs ?? Number.POSITIVE_INFINITY));
  }

  /** The `steps` of a request: settled ones in the order of their ends, then the pending ones. */
  entries(nowMs: number): Record<string, MemoEntry> {
    const settled = this.steps.filter(isSettled).map((step) => [step.stepId, entryOf(step)] as const);
    const pending = this.pending(nowMs).map(({ stepId }) => [stepId, { pending: true as const }] as const);
    return Object.fromEntries([...settled, ...pending]);
  }

  /** The next attempts of the steps whose retry is due. */
  nextAttempts(nowMs: number): Record<string, number> | undefined {
    const due = this.open.filter((step) => isDue(step, nowMs));
    return due.length === 0 ? undefined : Object.fromEntries(due.map(({ stepId, attempt }) => [stepId, attempt + 1]));
  }

  /** The bytes of the settled results. */
  get bytes(): number {
    return this.steps.filter(isSettled).reduce((sum, step) => sum + entryBytes(step), 0);
  }
}

function entryOf({ status, output, error }: Readonly<StepRow>): MemoEntry {
  if (status === 'failed') return { error: { ...(error ?? { message: 'unknown' }) } };
  return { data: status === 'skipped' || output === undefined ? null : JSON.parse(output) };
}

const entryBytes = ({ stepId, output, error }: Readonly<StepRow>): number =>
  stepId.length + 12 + Buffer.byteLength(output ?? JSON.stringify(error ?? null));
