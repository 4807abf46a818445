import type { AiAllowance, InvokeContext, LogLevel, StepError, WireEvent, WireLogLine } from '../protocol.ts';
import { rootScope } from '../protocol.ts';
import type { RunStatus } from '../records/runs.ts';
import type { AnyWorkflow } from '../workflow.ts';
import { isOpen, Memo, type StepRow } from './memo.ts';
import { type ResolvedRetry, resolvedRetry } from './retry.ts';

/** How a run begins. */
export interface RunStart {
  /** The event that its handler receives; its data is JSON text. */
  readonly event: Omit<WireEvent, 'data'> & { readonly name: string; readonly data: string };
  /** The events of a batched run. */
  readonly events?: readonly WireEvent[] | undefined;
  readonly triggerKind: NonNullable<InvokeContext['triggerKind']>;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly session?: string | undefined;
  readonly parent?: { readonly run: Run; readonly step: string; readonly attempt: number } | undefined;
  /** The failed run that this one handles. */
  readonly onFailureOf?: Run | undefined;
}

/** What a run executes: a workflow, or a fake that stands for one. */
export type Executes = { readonly app: string; readonly name: string } & (
  | { readonly workflow: AnyWorkflow }
  | { readonly fake: unknown }
);

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  readonly scope: string;
  readonly attempt: number;
  readonly index: number;
  readonly atMs: number;
}

/** A run in the memory of a test. */
export class Run {
  readonly id: string;
  readonly number: number;
  readonly executes: Executes;
  readonly start: RunStart;
  readonly createdMs: number;
  /** When it exceeds its `maxDuration`. */
  readonly endsMs: number;
  readonly retry: ResolvedRetry;
  status: RunStatus = 'queued';
  /** `leased`: a pass of it executes. */
  state: 'ready' | 'leased' | 'parked' | 'over' = 'ready';
  /** Its place in the queue of ready runs. */
  position = 0;
  attempt = 1;
  /** Passes in a row that reached none of the saved steps. */
  repeats = 0;
  /** When a parked run goes on by itself. */
  dueMs = Number.POSITIVE_INFINITY;
  /** When the whole pass is sent again. */
  retryMs: number | undefined;
  retriesAfter: StepError | undefined;
  /** Counts changes from outside of its passes. */
  wakes = 0;
  result: string | undefined;
  error: StepError | undefined;
  endedMs: number | undefined;
  /** All attempts of all steps. */
  readonly rows: StepRow[] = [];
  readonly logs: LogLine[] = [];
  readonly #lines = new Set<string>();
  /** Aborts its present pass when it ends from outside. */
  abort = new AbortController();

  constructor(number: number, executes: Executes, start: RunStart, nowMs: number) {
    this.id = `run_${number}`;
    this.number = number;
    this.executes = executes;
    this.start = start;
    this.createdMs = nowMs;
    const definition = 'workflow' in executes ? executes.workflow.definition : undefined;
    this.endsMs = nowMs + (definition?.maxDuration ?? Number.POSITIVE_INFINITY);
    this.retry = resolvedRetry(definition?.retry);
  }

  get isOver(): boolean {
    return this.state === 'over';
  }

  /** The latest attempts. */
  get latest(): StepRow[] {
    return [...new Map(this.rows.map((row) => [row.stepId, row])).values()];
  }

  get open(): StepRow[] {
    return this.latest.filter(isOpen);
  }

  memo(): Memo {
    return new Memo(this.rows);
  }

  /** Whether its pass is sent again later, so that a settled step does not wake it. */
  backsOff(nowMs: number): boolean {
    return this.state === 'parked' && this.retryMs !== undefined && this.retryMs > nowMs;
  }

  /** The limits of its cap, and the spend of its steps; undefined without a cap. */
  get allowance(): AiAllowance | undefined {
    const cap = 'workflow' in this.executes ? this.executes.workflow.definition.cap : undefined;
    if (cap === undefined) return undefined;
    let tokens = 0;
    let cost: number | undefined;
    for (const { usage } of this.rows) {
      tokens += (usage?.tokensIn ?? 0) + (usage?.tokensOut ?? 0);
      if (usage?.cost !== undefined) cost = Number(((cost ?? 0) + usage.cost).toFixed(12));
    }
    return { tokens, cost, maxTokens: cap.maxTokens, maxCost: cap.maxCost };
  }

  /** Stores log lines, each once however often a pass sends it. */
  addLogs(lines: readonly WireLogLine[], attempt: number, atMs: number): void {
    const attempts = new Map(this.latest.map((row) => [row.name, row.attempt]));
    for (const { level, message, fields, scope, index } of lines) {
      const of = scope === rootScope ? attempt : (attempts.get(scope) ?? 1);
      const key = `${of} ${index} ${scope}`;
      if (this.#lines.has(key)) continue;
      this.#lines.add(key);
      this.logs.push({ level, message, fields, scope, attempt: of, index, atMs });
    }
  }

  /** Ends its open steps together with itself. */
  closeSteps(nowMs: number): void {
    for (const row of this.open) {
      if (row.willRetry) {
        row.willRetry = false;
        row.retryWithdrawn = true;
      } else {
        row.status = 'cancelled';
        row.runAfterMs = undefined;
        row.endedMs = nowMs;
      }
    }
  }
}
