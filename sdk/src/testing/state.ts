import type { StepError } from '../protocol.ts';
import type { Approval } from '../records/approvals.ts';
import type { StepRow } from './memo.ts';
import { nextAttemptInMs } from './retry.ts';
import { type Executes, Run, type RunStart } from './run.ts';

/** A question of a run. `args` and `editedArgs` are JSON texts. */
export interface Question
  extends Omit<
    { -readonly [Key in keyof Approval]: Approval[Key] },
    'runId' | 'workflow' | 'app' | 'args' | 'editedArgs' | 'requestedAt' | 'expiresAt' | 'decidedAt'
  > {
  readonly run: Run;
  readonly row: StepRow;
  readonly args: string;
  editedArgs?: string;
  readonly requestedMs: number;
  expiresMs?: number | undefined;
  decidedMs?: number;
}

/** How a parked step ends from outside of a pass. */
export interface StepEnd {
  readonly output?: string | undefined;
  readonly error?: StepError | undefined;
  /** In how many ms the step is retried; absent: never. */
  readonly retryInMs?: number | undefined;
  /** Whether it is the decision about an approval, or its deadline. */
  readonly isDecision?: boolean;
}

/**
 * Owns: the virtual clock, the runs and their questions, the queue of ready runs, and each change
 * of a run that no pass makes.
 *
 * Does not own: passes (`world.ts`), and what events and side effects mean.
 *
 * Invariants:
 * S1 Steps end in the order of `endedAt`, which only grows.
 * S2 A run that is over never changes again.
 */
export class State {
  nowMs: number;
  readonly runs: Run[] = [];
  readonly questions: Question[] = [];
  #tick = 0;
  /** Runs whose end has consequences that are not drawn yet. */
  readonly #ended: Run[] = [];

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  /** The next position in the history of the world. */
  tick(): number {
    this.#tick += 1;
    return this.#tick;
  }

  begin(executes: Executes, start: RunStart): Run {
    const run = new Run(this.runs.length + 1, executes, start, this.nowMs);
    this.runs.push(run);
    run.position = this.tick();
    return run;
  }

  /** The ready run whose turn it is. */
  get nextReady(): Run | undefined {
    const ready = this.runs.filter(({ state }) => state === 'ready');
    return ready.sort((a, b) => a.position - b.position || a.number - b.number)[0];
  }

  enqueue(run: Run, position: number): void {
    run.state = 'ready';
    run.status = 'queued';
    run.position = position;
    run.dueMs = Number.POSITIVE_INFINITY;
    run.retryMs = undefined;
  }

  /** When something happens by itself. */
  get nextDueMs(): number {
    const unfinished = this.runs.filter(({ isOver }) => !isOver);
    return Math.min(
      ...unfinished.map(({ dueMs, endsMs }) => Math.min(dueMs, endsMs)),
      ...this.questions.map(({ status, expiresMs }) => (status === 'pending' ? expiresMs : undefined) ?? Infinity),
    );
  }

  /** Everything whose time has come: steps, retries, deadlines of approvals, limits of runs. */
  expire(): void {
    const due = this.runs.filter(({ state, dueMs }) => state === 'parked' && dueMs <= this.nowMs);
    for (const run of due) this.endDueSteps(run);
    const position = this.tick();
    for (const run of due) {
      if (!run.backsOff(this.nowMs)) this.enqueue(run, position);
      else run.dueMs = Math.min(run.retryMs ?? Infinity, ...run.open.map(({ runAfterMs }) => this.#later(runAfterMs)));
    }
    this.#expireQuestions();
    for (const run of this.runs) {
      if (!run.isOver && run.endsMs <= this.nowMs) this.finish(run, 'failed', { error: overrun(run) });
    }
  }

  #later(atMs: number | undefined): number {
    return atMs !== undefined && atMs > this.nowMs ? atMs : Number.POSITIVE_INFINITY;
  }

  /** Ends due sleeps and waits, in the order of their times. Answers whether there was one. */
  endDueSteps(run: Run): boolean {
    const due = run.open.filter(
      ({ status, runAfterMs }) => status === 'waiting' && (runAfterMs ?? Infinity) <= this.nowMs,
    );
    due.sort((a, b) => (a.runAfterMs ?? 0) - (b.runAfterMs ?? 0) || a.index - b.index);
    for (const row of due) {
      row.status = 'succeeded';
      row.output = 'null';
      row.runAfterMs = undefined;
      row.endedMs = this.nowMs;
      row.endedAt = this.tick();
    }
    return due.length > 0;
  }

  /** Ends a parked step. Nothing happens if it is not parked any more. */
  endStep(run: Run, row: StepRow, end: StepEnd): void {
    if (row.status !== 'waiting' || run.isOver) return;
    const willRetry = end.retryInMs !== undefined;
    const isHeld = run.backsOff(this.nowMs) && end.isDecision !== true;
    row.status = end.error === undefined ? 'succeeded' : 'failed';
    row.output = end.output;
    row.error = end.error;
    row.willRetry = willRetry;
    row.runAfterMs = end.retryInMs === undefined ? undefined : this.nowMs + end.retryInMs;
    row.endedMs = this.nowMs;
    row.endedAt = this.tick();
    run.wakes += 1;
    if (run.state !== 'parked') return;
    if (willRetry) run.dueMs = Math.min(run.dueMs, row.runAfterMs ?? Infinity);
    else if (!isHeld) this.enqueue(run, this.tick());
  }

  #expireQuestions(): void {
    const due = this.questions.filter(
      ({ status, expiresMs }) => status === 'pending' && (expiresMs ?? Infinity) <= this.nowMs,
    );
    for (const question of due.sort((a, b) => (a.expiresMs ?? 0) - (b.expiresMs ?? 0))) {
      switch (question.onTimeout) {
        case 'escalate':
          question.status = 'escalated';
          break;
        case 'approve':
        case 'reject':
          this.decide(question, question.onTimeout === 'approve' ? 'approved' : 'denied', {
            decidedBy: 'system:timeout',
            decidedVia: 'timeout',
          });
          break;
        case 'fail': {
          question.status = 'cancelled';
          const message = `approval ${JSON.stringify(question.step)} was not decided in time`;
          this.endStep(question.run, question.row, {
            error: { name: 'ApprovalTimeoutError', message },
            isDecision: true,
          });
        }
      }
    }
  }

  /** Decides an open question. */
  decide(
    question: Question,
    status: 'approved' | 'denied',
    { editedArgs, ...by }: { decidedBy: string; decidedVia: 'api' | 'timeout'; editedArgs?: string | undefined },
  ): void {
    Object.assign(question, { status, decidedMs: this.nowMs, ...by, ...(editedArgs !== undefined && { editedArgs }) });
    const args = `"args":${editedArgs ?? question.args}${editedArgs === undefined ? '' : `,"editedArgs":${editedArgs}`}`;
    const decided = JSON.stringify({ ...by, decidedAt: new Date(this.nowMs).toISOString() }).slice(1);
    this.endStep(question.run, question.row, { output: `{"status":"${status}",${args},${decided}`, isDecision: true });
  }

  /** Ends a run, with its open steps and questions. */
  finish(
    run: Run,
    status: 'succeeded' | 'failed' | 'cancelled',
    { error, result }: { error?: StepError | undefined; result?: string | undefined } = {},
  ): void {
    if (run.isOver) return;
    run.closeSteps(this.nowMs);
    for (const question of this.questions) {
      if (question.run === run && (question.status === 'pending' || question.status === 'escalated'))
        question.status = 'cancelled';
    }
    Object.assign(run, { state: 'over', status, error, result, endedMs: this.nowMs, dueMs: Infinity });
    run.abort.abort();
    this.#ended.push(run);
  }

  /** Tells parents of ended runs, cancels their children, and starts what handles a failure. */
  drawConsequences(): void {
    for (let run = this.#ended.shift(); run; run = this.#ended.shift()) this.#drawOf(run);
  }

  /** Its children end before others that ended at the same time have their turn. */
  #drawOf(ended: Run): void {
    this.#tellParent(ended);
    for (const child of this.runs.filter(({ isOver, start }) => !isOver && start.parent?.run === ended)) {
      this.finish(child, 'cancelled');
      this.#ended.splice(this.#ended.indexOf(child), 1);
      this.#drawOf(child);
    }
    this.#startFollowOn(ended);
  }

  #tellParent(child: Run): void {
    const parent = child.start.parent?.run;
    const row = parent?.rows.find(({ childRunId }) => childRunId === child.id);
    if (parent !== undefined && row !== undefined) this.endStep(parent, row, endOfCall(child, row, parent));
  }

  #startFollowOn(run: Run): void {
    const { executes, start, status, error } = run;
    if (status !== 'failed' || start.onFailureOf !== undefined || !('workflow' in executes)) return;
    if (executes.workflow.onFailure === undefined) return;
    const { app, name: workflow } = executes;
    const { name, data } = start.event;
    const head = JSON.stringify({ runId: run.id, app, workflow, error: error ?? null }).slice(0, -1);
    const event = `{"name":${JSON.stringify(name)},"data":${data}}`;
    const { tags, session } = start;
    this.begin(executes, {
      event: { name: 'workflow.failed', data: `${head},"event":${event}}`, ts: new Date(this.nowMs).toISOString() },
      ...{ triggerKind: 'event', tags, session, onFailureOf: run },
    });
  }
}

/** A child's failure is a failed attempt of the step that started it. */
function endOfCall({ status, result, error }: Run, { attempt }: StepRow, { retry }: Run): StepEnd {
  if (status === 'succeeded') return { output: result ?? 'null' };
  if (status === 'cancelled') return { error: childCancelled };
  return { error: error ?? childCancelled, retryInMs: nextAttemptInMs(retry, attempt) };
}

const childCancelled: StepError = { name: 'ChildCancelledError', message: 'the child run was cancelled' };

const overrun = ({ endsMs, createdMs }: Run): StepError => ({
  name: 'RunTimeoutError',
  message: `the run did not end within its maxDuration of ${endsMs - createdMs} ms`,
});
