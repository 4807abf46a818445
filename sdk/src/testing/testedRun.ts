import { asDeclared } from '../json/asDeclared.ts';
import type { StepError } from '../protocol.ts';
import type { Approval } from '../records/approvals.ts';
import type { RunLogLine, RunStatus, RunStep, RunSummary, WaitingFor } from '../records/runs.ts';
import type { StepRow } from './memo.ts';
import type { Run } from './run.ts';
import type { Question } from './state.ts';
import { isoTime, waitingFor } from './waitingFor.ts';
import type { World } from './world.ts';

/** An event that a run sent with `step.emit`. */
export interface TestedEvent {
  readonly id: string;
  readonly step: string;
  readonly name: string;
  readonly data?: unknown;
  readonly tags?: Readonly<Record<string, string>>;
  readonly session?: string;
  readonly dedupeId?: string;
  readonly targetApp?: string;
}

/** A message that a run sent with `step.webhook`. */
export interface TestedWebhook {
  readonly id: string;
  readonly step: string;
  readonly url: string;
  readonly data?: unknown;
}

/** A run in a test, as it is now. */
export class TestedRun<Result = unknown> {
  readonly #run: Run;
  readonly #world: World;

  constructor(run: Run, world: World) {
    this.#run = run;
    this.#world = world;
  }

  get id(): string {
    return this.#run.id;
  }

  get app(): string {
    return this.#run.executes.app;
  }

  get workflow(): string {
    return this.#run.executes.name;
  }

  get status(): RunStatus {
    return this.#run.status;
  }

  /**
   * What the handler returned, as JSON carries it; `null` if it returned nothing. Throws if the run
   * has not succeeded, with the error of a failed run.
   */
  get result(): Result {
    const { status, result, error } = this.#run;
    if (status === 'succeeded') return asDeclared<Result>(result === undefined ? null : JSON.parse(result));
    const reason = error === undefined ? waitText(this.waitingFor) : `: ${error.name ?? 'Error'}: ${error.message}`;
    throw new Error(`run of "${this.workflow}" is ${status}${reason}${unusedText(this.#world.unusedFakes)}`);
  }

  /** Why the run failed or was cancelled; undefined otherwise. */
  get error(): StepError | undefined {
    return this.#run.error;
  }

  /** The attempt of the handler, from 1. */
  get attempt(): number {
    return this.#run.attempt;
  }

  get tags(): Readonly<Record<string, string>> {
    return this.#run.start.tags ?? {};
  }

  get session(): string | undefined {
    return this.#run.start.session;
  }

  /** What started the run: its name, and the data that the handler receives. */
  get event(): { readonly name: string; readonly data: unknown } {
    const { name, data } = this.#run.start.event;
    return { name, data: JSON.parse(data) };
  }

  get triggerKind(): RunSummary['triggerKind'] {
    return this.#run.start.triggerKind;
  }

  get createdAt(): string {
    return isoTime(this.#run.createdMs);
  }

  get endedAt(): string | undefined {
    const { endedMs } = this.#run;
    return endedMs === undefined ? undefined : isoTime(endedMs);
  }

  /** The failed run that this one handles; undefined for other runs. */
  get onFailureOf(): string | undefined {
    return this.#run.start.onFailureOf?.id;
  }

  /** The parent run; undefined if this run is no child. */
  get parentRunId(): string | undefined {
    return this.#run.start.parent?.run.id;
  }

  /** The step of the parent run that started this run; undefined if it is no child. */
  get parentStep(): string | undefined {
    return this.#run.start.parent?.step;
  }

  /** A row for each attempt of each step, in order, as `runs.steps` of the client gives them. */
  get steps(): RunStep[] {
    return [...this.#run.rows].sort((a, b) => a.index - b.index || a.attempt - b.attempt).map(stepOf);
  }

  /** The latest attempt of a step; undefined if the run has not reached it. */
  step(name: string): RunStep | undefined {
    return this.steps.findLast((step) => step.name === name);
  }

  get logs(): RunLogLine[] {
    return this.#run.logs.map(({ level, message, fields, scope, attempt, atMs }, position) => ({
      ...{ seq: position + 1, ts: isoTime(atMs), level, message, scope, attempt },
      ...(fields !== undefined && { fields }),
    }));
  }

  /** The events that the run sent, in order. */
  get emitted(): TestedEvent[] {
    const own = this.#world.effects.emitted.filter(({ run }) => run === this.#run);
    return own.map(({ run: _run, ...event }) => event);
  }

  /** The messages that the run sent with `step.webhook`, in order. None leaves the process. */
  get webhooks(): TestedWebhook[] {
    const own = this.#world.effects.webhooks.filter(({ run }) => run === this.#run);
    return own.map(({ run: _run, ...sent }) => sent);
  }

  /** The data of the scores that the run stored, in order. */
  get scores(): unknown[] {
    return this.#world.effects.scores.flatMap(({ run, data }) => (run === this.#run ? [data] : []));
  }

  /** The runs that `step.runWorkflow` started, one for each attempt, in order. */
  get children(): TestedRun[] {
    return this.#runs(({ start }) => start.parent?.run === this.#run);
  }

  /** The run of `onFailure` after this run failed; undefined if there is none. */
  get failureRun(): TestedRun | undefined {
    return this.#runs(({ start }) => start.onFailureOf === this.#run)[0];
  }

  #runs(fits: (run: Run) => boolean): TestedRun[] {
    return this.#world.state.runs.filter(fits).map((run) => new TestedRun(run, this.#world));
  }

  /** The questions that the run asked people, in order. */
  get approvals(): Approval[] {
    return this.#world.state.questions.filter(({ run }) => run === this.#run).map(approvalOf);
  }

  /** Why the run rests; undefined once it has ended. Of several branches, the first to go on. */
  get waitingFor(): WaitingFor | undefined {
    return waitingFor(this.#run);
  }
}

function waitText(wait: WaitingFor | undefined): string {
  if (wait === undefined) return '';
  const step = wait.step === undefined ? '' : ` of step "${wait.step}"`;
  return `; it waits for ${wait.kind}${step}${wait.until === undefined ? '' : ` until ${wait.until}`}`;
}

function unusedText(names: readonly string[]): string {
  if (names.length === 0) return '';
  return `; no step used the fake${names.length === 1 ? '' : 's'} ${names.map((name) => `"${name}"`).join(', ')}`;
}

function stepOf({ status, willRetry, ...row }: StepRow): RunStep {
  const { runAfterMs, startedMs, endedMs } = row;
  const showsTime = runAfterMs !== undefined && (status !== 'failed' || willRetry);
  return {
    ...{ name: row.name, index: row.index, attempt: row.attempt, status },
    ...(row.input !== undefined && { input: JSON.parse(row.input) as unknown }),
    ...(row.output !== undefined && { output: JSON.parse(row.output) as unknown }),
    ...(row.error !== undefined && { error: row.error }),
    ...(row.ai !== undefined && { ai: JSON.parse(row.ai) as unknown }),
    ...(showsTime && { runAfter: isoTime(runAfterMs) }),
    ...(willRetry && { willRetry }),
    ...(willRetry && runAfterMs !== undefined && { nextAttemptAt: isoTime(runAfterMs) }),
    ...(row.eventName !== undefined && { eventName: row.eventName }),
    ...(row.childRunId !== undefined && { childRunId: row.childRunId }),
    startedAt: isoTime(startedMs),
    ...(endedMs !== undefined && { endedAt: isoTime(endedMs) }),
    // Bodies execute in no time of the virtual clock.
    ...(endedMs !== undefined && { durationMs: endedMs - startedMs }),
  };
}

function approvalOf(question: Question): Approval {
  const { run, row: _row, args, editedArgs, requestedMs, expiresMs, decidedMs, ...rest } = question;
  return {
    ...{
      ...rest,
      runId: run.id,
      workflow: run.executes.name,
      app: run.executes.app,
      args: JSON.parse(args) as unknown,
    },
    ...(editedArgs !== undefined && { editedArgs: JSON.parse(editedArgs) as unknown }),
    requestedAt: isoTime(requestedMs),
    ...(expiresMs !== undefined && { expiresAt: isoTime(expiresMs) }),
    ...(decidedMs !== undefined && { decidedAt: isoTime(decidedMs) }),
  };
}
