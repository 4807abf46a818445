import { NestedStepError, savedError } from '../errors.ts';
import { checkStepName } from '../names.ts';
import type { InvokeRequest, MemoEntry, OpcodeKind, RetryPolicy } from '../protocol.ts';
import { hashStepId, StepNames } from '../stepId.ts';
import { withoutContinuations } from './continuation.ts';
import { Discoveries } from './discoveries.ts';
import type { Leftovers } from './leftovers.ts';
import { Looks } from './looks.ts';
import { type Report, reportFailure } from './opcodeText.ts';
import { type Outcome, type PassEnd, passEnd } from './passEnd.ts';
import { PassLog } from './passLog.ts';
import { PlainWork } from './plainWork.ts';
import { Replay } from './replay.ts';
import { type Scope, scope } from './scope.ts';
import { type OnStarted, StartedBodies } from './startedBodies.ts';
import { type AwaitListener, StepPromise } from './stepPromise.ts';
import type { StepTools } from './stepTools.ts';

/** How a new step executes and becomes an opcode. */
export interface StepWork<T> {
  readonly kind: OpcodeKind;
  /** The step's own retry policy. Default: the workflow's. */
  readonly retry?: RetryPolicy | undefined;
  /** Reads the saved result. Throws if another kind of step saved it. */
  read(data: unknown, name: string): T;
  perform(name: string, id: string): Report | Promise<Report>;
}

export interface PassSetting {
  readonly leftovers: Leftovers;
  readonly signal: AbortSignal;
  /** Receives the steps whose bodies have been executing for a while. */
  readonly onStarted?: OnStarted | undefined;
  /** Only in tests: hears the name of each step that the handler reaches. */
  readonly onReached?: ((name: string) => void) | undefined;
}

/** `wait`: a later change makes the pass look again. */
type Verdict = 'end' | 'wait' | 'look again';

/** The delay if nothing of the handler's own was ever visible, and there is nothing to report. */
const idleLingerMs = 25;

/**
 * Runs a handler once from the top, for one answer. If the service then sends the entries that are
 * new, the handler continues where it is suspended, for another answer, and so on.
 *
 * Owns: the reached steps, the running bodies, and the end of each answer.
 * Does not own: the form of opcodes and answers.
 *
 * Invariants:
 * P1 The promise of an unsaved step never settles before the service has saved its result. Code
 * after a step runs only when its result is durable.
 * P2 An answer does not end while the body of a step runs, within the body's time limit.
 * P3 The handler's outcome counts only in an answer without new steps, because new results are
 * saved first. After the handler has ended, sleeps, child runs and model calls do not begin, and
 * unawaited waits are dropped.
 * P4 Bodies start in the order in which the handler reached their steps, after the code that
 * reached them.
 * P5 After the end of an answer, no body starts until the handler is continued.
 * P6 An answer performs no more steps than it can report. The handler reaches the others in the
 * next pass.
 * P7 A continued handler finds, reports and logs what its replay would. A handler that moves while
 * it is suspended is not continued.
 */
export class Pass {
  readonly log = new PassLog();
  /** The library's own continuation steps in the memo. */
  readonly continuations: number;
  readonly #runId: string;
  readonly #leftovers: Leftovers;
  readonly #plainWork = new PlainWork();
  readonly #looks = new Looks(this.#plainWork, () => this.#look());
  /** Of the handler. Undefined before the start. */
  #scope: Scope | undefined;
  readonly #names = new StepNames();
  readonly #replay: Replay;
  /** The next attempt of each step that failed before, by hashed id. */
  readonly #attempts: Record<string, number>;
  readonly #onReached: PassSetting['onReached'];
  readonly #awaits: AwaitListener = {
    began: () => {
      this.#awaited += 1;
      this.#looks.moved();
    },
    ended: () => {
      this.#awaited -= 1;
    },
  };
  #found = new Discoveries();
  #started: StartedBodies | undefined;
  /** Unsettled steps that the handler awaits. */
  #awaited = 0;
  #outcome: Outcome | undefined;
  #hasWaited = false;
  #isOver = false;
  /** Whether the handler was aborted, or moved while it was suspended (P7). */
  #isSpoilt = false;
  /** Of the present answer. */
  #bodies = new AbortController();
  #end: Promise<PassEnd | undefined>;
  #finish: (end: PassEnd | undefined) => void = () => {};

  constructor(request: InvokeRequest, { leftovers, signal, onStarted, onReached }: PassSetting) {
    this.#onReached = onReached;
    this.#attempts = request.ctx.stepAttempts ?? {};
    this.#started = onStarted && new StartedBodies(onStarted);
    this.#runId = request.ctx.runId;
    this.#leftovers = leftovers;
    const { own, uses } = withoutContinuations(request.steps);
    this.continuations = uses;
    this.#replay = new Replay(own);
    this.#end = this.#nextEnd();
    signal.addEventListener('abort', () => this.#abort(signal.reason), { once: true });
    if (signal.aborted) this.#abort(signal.reason);
  }

  /**
   * Aborts the bodies of the present answer. Those of earlier ones have saved results, which still
   * count.
   */
  get signal(): AbortSignal {
    return this.#bodies.signal;
  }

  /** The end of the present answer. Undefined if the pass was aborted. */
  get end(): Promise<PassEnd | undefined> {
    return this.#end;
  }

  /**
   * The saved steps that this pass did not reach; empty if the handler's own work may still reach
   * them.
   */
  get unreached(): string[] {
    return this.#plainWork.startedAt === undefined ? this.#replay.unreached() : [];
  }

  /** How many saved steps this pass reached; undefined if there are none. */
  get reached(): number | undefined {
    return this.#replay.reached;
  }

  /** Whether the present answer waited for bodies of steps, or for the handler's own work. */
  get hasWaited(): boolean {
    return this.#hasWaited;
  }

  /** P7. Whether saved steps are all that the suspended handler waits for. */
  get isSuspended(): boolean {
    return (
      this.#isOver &&
      !this.#isSpoilt &&
      this.#outcome === undefined &&
      this.#found.left.size === 0 &&
      this.#plainWork.startedAt === undefined &&
      !this.log.hasDropped
    );
  }

  /** `steps` are the tools by which the handler, and the code that it calls, reaches steps. */
  start(handler: () => unknown, steps: StepTools): void {
    this.#scope = { plainWork: this.#plainWork, steps };
    scope.run(this.#scope, () => {
      void (async () => handler())().then(
        (value) => this.#settle({ ok: true, value }),
        (error: unknown) => this.#settle({ ok: false, error }),
      );
    });
  }

  /** Continues the suspended handler with the entries of the memo that are new, in their order. */
  continue(entries: Record<string, MemoEntry>, onStarted: OnStarted | undefined): void {
    this.#isOver = false;
    this.#hasWaited = false;
    this.#looks.resume();
    this.#found = new Discoveries();
    this.#started = onStarted && new StartedBodies(onStarted);
    this.#bodies = new AbortController();
    this.#end = this.#nextEnd();
    this.#replay.add(entries);
    this.#looks.moved();
  }

  /** Writes a line of the handler, or of a body. */
  say(...line: Parameters<PassLog['add']>): void {
    if (this.#isOver) this.#isSpoilt = true;
    else this.log.add(...line);
  }

  /** Called when the handler reaches a step. Throws inside the body of another step. */
  step<T>(id: string, work: StepWork<T>): Promise<T> {
    const outer = scope.getStore()?.step;
    if (outer !== undefined) throw new NestedStepError(id, outer);
    const promise = StepPromise.start<T>(this.#awaits);
    if (this.#isOver) {
      this.#isSpoilt = true;
      return promise;
    }
    const name = this.#names.next(id);
    checkStepName(name);
    this.#onReached?.(name);
    const hash = hashStepId(name);
    if (!this.#replay.isSaved(hash)) this.#discover(name, hash, work);
    this.#replay.reach(hash, (entry) => {
      this.#looks.moved();
      promise.settle(() => readSaved(name, entry, work));
    });
    this.#looks.moved();
    return promise;
  }

  #discover<T>(name: string, hash: string, work: StepWork<T>): void {
    if (this.#found.isFull) {
      this.#found.left.add(work.kind);
      return;
    }
    const { position, end } = this.#found.begin({ isFirst: this.#attempts[hash] === undefined });
    queueMicrotask(() => {
      void this.#perform(name, hash, work, position).then((report) => {
        end(report);
        this.#looks.moved();
      });
    });
  }

  async #perform<T>(name: string, id: string, work: StepWork<T>, position: number | undefined): Promise<Report> {
    const kept = this.#leftovers.take(this.#runId, id);
    if (kept?.kind === work.kind) return kept;
    const isBody = work.kind === 'StepRun';
    const ended = isBody ? this.#started?.begin({ id, name, attempt: this.#attempts[id] ?? 1, position }) : undefined;
    try {
      return await scope.run(this.#scope && { ...this.#scope, step: name }, () => work.perform(name, id));
    } catch (cause) {
      return reportFailure(name, id, cause, { retry: work.retry });
    } finally {
      ended?.();
    }
  }

  #settle(outcome: Outcome): void {
    this.#outcome = outcome;
    this.#replay.stop();
    this.#looks.moved();
  }

  /** Called after the direct effects of a change. */
  #look(): void {
    if (this.#isOver) return;
    const verdict = this.#replay.isHeld ? this.#judgeHeld() : this.#judge();
    if (verdict === 'end') this.#over(passEnd(this.#outcome, this.#found.reports, this.#found.left));
    else this.#hasWaited = true;
    if (verdict === 'look again') this.#looks.again();
  }

  /**
   * A saved step waits for an earlier unreached one, which the handler's own work may still reach.
   */
  #judgeHeld(): Verdict {
    if (this.#looks.mayMove(0)) return 'look again';
    this.#replay.skip();
    return 'wait';
  }

  #judge(): Verdict {
    if (this.#found.isRunning) return 'wait';
    if (this.#outcome !== undefined || this.#found.hasReady) return 'end';
    // The handler awaits no step, so its own work will make it continue.
    if (this.#awaited === 0) return 'wait';
    return this.#looks.mayMove(this.#found.isEmpty ? idleLingerMs : 0) ? 'look again' : 'end';
  }

  #nextEnd(): Promise<PassEnd | undefined> {
    return new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  #abort(reason: unknown): void {
    this.#isSpoilt = true;
    this.#over(undefined);
    this.#bodies.abort(reason);
  }

  #over(end: PassEnd | undefined): void {
    this.#isOver = true;
    this.#looks.rest();
    this.#started?.stop();
    this.#finish(end);
  }
}

function readSaved<T>(name: string, entry: MemoEntry, work: StepWork<T>): T {
  if ('error' in entry) throw savedError(name, entry.error);
  return work.read('data' in entry ? entry.data : null, name);
}
