import type { PassReply } from '../execute/answer.ts';
import { Leftovers } from '../execute/leftovers.ts';
import { describeError } from '../execute/opcodeText.ts';
import { runPass } from '../execute/runPass.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { encodeJson } from '../json/encode.ts';
import type { AnyWorkflow } from '../workflow.ts';
import { type Decision, decide, type Next, nextAfter, type RunLimits } from './decide.ts';
import { Effects } from './effects.ts';
import { type Cast, Events } from './events.ts';
import { type Fakes, fakedValue } from './fakes.ts';
import type { Guards } from './guards.ts';
import type { Memo } from './memo.ts';
import { misplacedFakes } from './misplacedFakes.ts';
import { endOfModelCall } from './modelAnswer.ts';
import { requestOf } from './requests.ts';
import type { Run } from './run.ts';
import { State } from './state.ts';

export interface WorldOptions extends Cast {
  readonly nowMs: number;
  readonly steps: Fakes;
  readonly limits: RunLimits;
}

/** The state of a run as its next pass sees it. */
interface Seen {
  readonly memo: Memo;
  readonly wakes: number;
}

/**
 * Executes runs as the service does, one pass at a time and in the order of the queue, until none
 * is ready. Time stands still meanwhile.
 */
export class World {
  readonly state: State;
  readonly events: Events;
  readonly effects: Effects;
  readonly #options: WorldOptions;
  readonly #leftovers = new Leftovers();
  #passes = 0;
  #settling: Promise<void> | undefined;
  #hasWarned = false;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.state = new State(options.nowMs);
    this.events = new Events(this.state, options);
    this.effects = new Effects(this.state, options, this.events);
  }

  get guards(): Guards {
    return this.#options.guards;
  }

  /** Compiles the guards of workflows. Rejects if one is none. */
  async prepare(): Promise<void> {
    const { guards, workflows } = this.#options;
    for (const { name, definition } of workflows) {
      const triggers = (definition.triggers ?? []).flatMap((each) => ('event' in each ? (each.if ?? []) : []));
      const cancels = (definition.cancelOn ?? []).flatMap((each) => each.if ?? []);
      await guards.prepare(triggers);
      await guards.prepare(cancels, { withRun: true });
      const faults = [
        ...triggers.map((source) => guards.fault(source)),
        ...cancels.map((source) => guards.fault(source, { withRun: true })),
      ];
      const fault = faults.find((each) => each !== undefined);
      if (fault !== undefined) throw new TypeError(`workflow "${name}" has a guard that is none: ${fault}`);
    }
  }

  /**
   * Executes what is ready and due, until everything rests. A call from within a step does not
   * wait: the change that it made takes effect when the step has ended.
   */
  async settle(): Promise<void> {
    if (this.#settling !== undefined) return;
    this.#settling = this.#settle();
    try {
      await this.#settling;
    } finally {
      this.#settling = undefined;
    }
    if (!this.#hasWarned && this.state.runs.every(({ isOver }) => isOver)) this.#warn();
  }

  /** The names of fakes that nothing has used so far. */
  get unusedFakes(): string[] {
    return [...this.#options.steps.unused, ...this.#options.children.unused];
  }

  /** Once all runs have ended, because a later step may still use a fake. */
  #warn(): void {
    this.#hasWarned = true;
    const rows = this.state.runs.flatMap((run) => run.rows);
    for (const fault of misplacedFakes(this.#options.steps, rows)) console.warn(`holdfast: ${fault}`);
  }

  async #settle(): Promise<void> {
    const { state } = this;
    for (;;) {
      await this.#answerCalls();
      state.expire();
      state.drawConsequences();
      const run = state.nextReady;
      if (run === undefined && this.effects.calls.length === 0) return;
      if (run !== undefined) await this.#drive(run);
    }
  }

  /** Moves the clock, and stops at each instant at which something is due. */
  async advanceTo(targetMs: number): Promise<void> {
    for (;;) {
      await this.settle();
      const { nextDueMs, nowMs } = this.state;
      if (nextDueMs > targetMs) break;
      this.state.nowMs = Math.max(nowMs, nextDueMs);
    }
    this.state.nowMs = Math.max(this.state.nowMs, targetMs);
  }

  /** Executes a run until it rests. */
  async #drive(run: Run): Promise<void> {
    run.state = 'leased';
    run.status = 'running';
    const { executes } = run;
    if (!('workflow' in executes)) return this.#driveFake(run, executes.fake);
    this.state.endDueSteps(run);
    let seen = { memo: run.memo(), wakes: run.wakes };
    while (run.state === 'leased') {
      const reply = await this.#pass(run, executes.workflow, seen.memo);
      if (reply === undefined || run.state !== 'leased') return;
      await this.#options.guards.prepare(guardsIn(reply));
      seen = this.#commit(run, this.#decide(run, seen.memo, reply), seen);
      if (run.state === 'leased' && this.state.endDueSteps(run)) seen = { ...seen, memo: run.memo() };
    }
  }

  #pass(run: Run, workflow: AnyWorkflow, memo: Memo): Promise<PassReply | undefined> {
    this.#passes += 1;
    // A signal of its own: each pass listens to it.
    run.abort = new AbortController();
    const { steps } = this.#options;
    return runPass(workflow, requestOf(run, memo, { nowMs: this.state.nowMs, passNo: this.#passes }), {
      leftovers: this.#leftovers,
      aiDefaults: workflow.aiDefaults,
      signal: run.abort.signal,
      fakeOf: (name) => {
        const found = steps.get(name);
        return found && ((info) => fakedValue(found.fake, info.attempt, info));
      },
    });
  }

  #decide(run: Run, memo: Memo, reply: PassReply): Decision {
    const { guards, limits } = this.#options;
    const { attempt, repeats, retry, allowance: ai } = run;
    const guardFault = (source: string): string | undefined => guards.fault(source);
    return decide(reply, { memo, nowMs: this.state.nowMs, attempt, repeats, retry, ai, limits, guardFault });
  }

  /**
   * Writes what an answer changes. Returns what the next pass sees: a change by the run's own event
   * only after one more commit, as in the service.
   */
  #commit(run: Run, decision: Decision, before: Seen): Seen {
    const { state, effects } = this;
    const endedAt = state.tick();
    for (const effect of decision.effects) this.events.lookBack(run, effect);
    const events = decision.effects.map((effect) => effects.perform(run, effect));
    const rows = decision.effects.map(({ row }) => row);
    for (const row of rows) {
      if (row.status !== 'waiting') Object.assign(row, { endedMs: state.nowMs, endedAt });
      run.rows.push(row);
    }
    run.addLogs(decision.logs, run.attempt, state.nowMs);
    const isAsked = run.open.some(({ op, status }) => op === 'Approval' && status === 'waiting');
    run.attempt = decision.attempt;
    run.repeats = decision.repeats;
    const isSettling = decision.next.kind === 'goesOn' || decision.next.kind === 'parks';
    const next = isSettling && rows.length > 0 ? nextAfter(rows) : decision.next;
    const wasChanged = run.wakes !== before.wakes;
    if (!(wasChanged && (next.kind === 'parks' || (next.kind === 'retries' && isAsked))))
      this.#enter(run, next, { ...before, reported: new Set(rows.map(({ stepId }) => stepId)), isAsked });
    const seen = { memo: run.memo(), wakes: run.wakes };
    if (events.some((event) => event !== undefined))
      for (const effect of decision.effects) this.events.lookAgain(run, effect);
    for (const event of events) if (event !== undefined) this.events.deliver(event);
    this.#failOversized(run);
    state.drawConsequences();
    return wasChanged ? { ...seen, memo: run.memo() } : seen;
  }

  /** Enters the state in which an answer leaves its run. */
  #enter(
    run: Run,
    next: Next,
    { memo, reported, isAsked }: { memo: Memo; reported: ReadonlySet<string>; isAsked: boolean },
  ): void {
    const { state } = this;
    switch (next.kind) {
      case 'goesOn':
        return;
      case 'succeeds':
        state.finish(run, 'succeeded', { result: next.result });
        return;
      case 'fails':
        state.finish(run, 'failed', { error: next.error });
        return;
      case 'parks':
      case 'retries': {
        const own = run.open
          .filter(({ stepId }) => reported.has(stepId))
          .map(({ runAfterMs }) => runAfterMs ?? Infinity);
        run.retryMs = next.kind === 'retries' ? state.nowMs + next.inMs : undefined;
        run.retriesAfter = next.kind === 'retries' ? next.error : undefined;
        run.dueMs = Math.min(run.retryMs ?? Infinity, memo.dueMs(state.nowMs, reported), ...own);
        run.state = 'parked';
        run.status = isAsked ? 'needs_attention' : 'waiting';
      }
    }
  }

  #failOversized(run: Run): void {
    const { memoMaxBytes } = this.#options.limits;
    if (run.state !== 'leased' || run.memo().bytes <= memoMaxBytes) return;
    const message = `the results of this run's steps exceed ${memoMaxBytes} bytes (MEMO_MAX_BYTES)`;
    this.state.finish(run, 'failed', { error: { message } });
  }

  /** A fake child ends at once, with the value of its fake. */
  async #driveFake(run: Run, fake: unknown): Promise<void> {
    const { event, tags, parent } = run.start;
    try {
      const data: unknown = JSON.parse(event.data);
      const value = await fakedValue(fake, parent?.attempt ?? 1, data, {
        tags: tags ?? {},
        attempt: parent?.attempt ?? 1,
      });
      this.state.finish(run, 'succeeded', { result: encodeJson(value) });
    } catch (cause) {
      this.state.finish(run, 'failed', { error: describeError(cause) });
    }
  }

  /** The service would call the models now. */
  async #answerCalls(): Promise<void> {
    for (let call = this.effects.calls.shift(); call; call = this.effects.calls.shift()) {
      const { run, row } = call;
      this.state.endStep(run, row, await endOfModelCall(call, this.#options.steps));
    }
  }
}

/** The guards of the waits that an answer reports. */
function guardsIn({ status, body }: PassReply): string[] {
  if (status !== 206 || !body.includes('eventIf')) return [];
  const { opcodes } = asDeclared<{ opcodes: readonly { eventIf?: string }[] }>(JSON.parse(body));
  return opcodes.flatMap(({ eventIf }) => eventIf ?? []);
}
