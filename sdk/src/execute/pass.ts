import { NestedStepError, savedError } from '../errors.ts';
import { checkStepName } from '../names.ts';
import type { InvokeRequest, MemoEntry, OpcodeKind, RetryPolicy } from '../protocol.ts';
import { hashStepId, StepNames } from '../stepId.ts';
import { stepsPerPass, withoutContinuations } from './continuation.ts';
import type { Leftovers } from './leftovers.ts';
import { type Report, reportFailure } from './opcodeText.ts';
import { Parked } from './parked.ts';
import { type Outcome, type PassEnd, passEnd } from './passEnd.ts';
import { PassLog } from './passLog.ts';
import { PlainWork } from './plainWork.ts';
import { Replay } from './replay.ts';
import { type Scope, scope } from './scope.ts';
import { type OnStarted, StartedBodies } from './startedBodies.ts';
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

/** How long the handler's own work may delay the end of a pass whose steps are all parked. */
const ownWorkMs = 10_000;
/** The delay if such work happened but none is visible now: a query may be in flight. */
const lingerMs = 50;
/** The delay if no such work was ever visible, and the pass has nothing to report. */
const idleLingerMs = 25;
const lookAgainMs = 5;

/**
 * Runs a handler once from the top.
 *
 * Owns: the reached steps, the running bodies, and the end of the pass.
 * Does not own: the form of opcodes and answers.
 *
 * Invariants:
 * P1 The promise of an unsaved step never settles in this pass. Code after a step runs only when
 * its result is durable.
 * P2 The pass does not end while the body of a step runs, within the body's time limit.
 * P3 The handler's outcome counts only in a pass without new steps, because new results are saved
 * first. After the handler has ended, sleeps, child runs and model calls do not begin, and
 * unawaited waits are dropped.
 * P4 Bodies start in the order in which the handler reached their steps, after the code that
 * reached them.
 * P5 After the end of the pass, no body starts.
 * P6 A pass performs no more steps than an answer can report. The handler reaches the others in the
 * next pass.
 */
export class Pass {
  readonly log = new PassLog();
  readonly end: Promise<PassEnd | undefined>;
  readonly #runId: string;
  readonly #leftovers: Leftovers;
  readonly #plainWork = new PlainWork();
  /** Of the handler. Undefined before the start. */
  #scope: Scope | undefined;
  readonly #names = new StepNames();
  readonly #replay: Replay;
  readonly #slots: { report?: Report }[] = [];
  /** The next attempt of each step that failed before, by hashed id. */
  readonly #attempts: Record<string, number>;
  readonly #started: StartedBodies | undefined;
  readonly #onReached: PassSetting['onReached'];
  /** New steps so far that no pass has reported. */
  #firsts = 0;
  /** Kinds of the new steps that are left to the next pass (P6). */
  readonly #left = new Set<OpcodeKind>();
  #running = 0;
  #awaited = 0;
  #outcome: Outcome | undefined;
  #isOver = false;
  #isLooking = false;
  #movedAt = performance.now();
  #hasMoved = false;
  #finish: (end: PassEnd | undefined) => void = () => {};

  constructor(request: InvokeRequest, { leftovers, signal, onStarted, onReached }: PassSetting) {
    this.#onReached = onReached;
    this.#attempts = request.ctx.stepAttempts ?? {};
    this.#started = onStarted && new StartedBodies(onStarted);
    this.#runId = request.ctx.runId;
    this.#leftovers = leftovers;
    this.#replay = new Replay(withoutContinuations(request.steps));
    this.end = new Promise((resolve) => {
      this.#finish = resolve;
    });
    signal.addEventListener('abort', () => this.#over(undefined), { once: true });
    if (signal.aborted) this.#over(undefined);
  }

  get isOver(): boolean {
    return this.#isOver;
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

  /** Called when the handler reaches a step. Throws inside the body of another step. */
  step<T>(id: string, work: StepWork<T>): Promise<T> {
    const outer = scope.getStore()?.step;
    if (outer !== undefined) throw new NestedStepError(id, outer);
    if (this.#isOver) return this.#park();
    const name = this.#names.next(id);
    checkStepName(name);
    this.#onReached?.(name);
    const hash = hashStepId(name);
    const saved = this.#replay.get(hash);
    if (saved === undefined) this.#discover(name, hash, work);
    return saved?.rank === undefined ? this.#park() : this.#replayed(name, saved.rank, saved.entry, work);
  }

  #replayed<T>(name: string, rank: number, entry: MemoEntry, work: StepWork<T>): Promise<T> {
    this.#moved();
    const promise = new Promise<T>((resolve, reject) => {
      this.#replay.take(rank, () => {
        this.#moved();
        try {
          resolve(readSaved(name, entry, work));
        } catch (cause) {
          // A rejection that the handler ignores must not end the process.
          promise.catch(() => {});
          reject(cause);
        }
      });
    });
    return promise;
  }

  #park<T>(): Promise<T> {
    return Parked.start(() => {
      this.#awaited += 1;
      this.#moved();
    });
  }

  #discover<T>(name: string, hash: string, work: StepWork<T>): void {
    if (this.#slots.length === stepsPerPass) {
      this.#left.add(work.kind);
      return;
    }
    const slot: { report?: Report } = {};
    this.#slots.push(slot);
    this.#running += 1;
    this.#moved();
    const position = this.#attempts[hash] === undefined ? this.#firsts++ : undefined;
    queueMicrotask(() => {
      void this.#perform(name, hash, work, position).then((report) => {
        slot.report = report;
        this.#running -= 1;
        this.#moved();
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
    this.#moved();
  }

  /** Schedules a look at the pass, after the direct effects of a change. */
  #moved(): void {
    // Reading the clock is the costliest part of a saved step, so it happens once per look.
    if (!this.#hasMoved) this.#movedAt = performance.now();
    this.#hasMoved = true;
    this.#lookIn(0);
  }

  #lookIn(ms: number): void {
    if (this.#isLooking || this.#isOver) return;
    this.#isLooking = true;
    const look = (): void => {
      this.#isLooking = false;
      this.#look();
    };
    // Outside of the scope, so that this timer does not count as the handler's own work.
    scope.run(undefined, () => (ms === 0 ? setImmediate(look) : setTimeout(look, ms)));
  }

  #look(): void {
    this.#hasMoved = false;
    if (this.#isOver) return;
    const verdict = this.#replay.isHeld ? this.#judgeHeld() : this.#judge();
    if (verdict === 'end') {
      const reports = this.#slots.flatMap(({ report }) => report ?? []);
      this.#over(passEnd(this.#outcome, reports, this.#left));
    } else if (verdict === 'look again') {
      this.#lookIn(lookAgainMs);
    }
  }

  /**
   * A saved step waits for an earlier unreached one, which the handler's own work may still reach.
   */
  #judgeHeld(): Verdict {
    if (this.#mayMoveByItself(0)) return 'look again';
    this.#replay.skip();
    return 'wait';
  }

  #judge(): Verdict {
    if (this.#running > 0) return 'wait';
    if (this.#outcome !== undefined || this.#slots.some((slot) => slot.report?.isReady)) return 'end';
    // The handler awaits no step, so its own work will make it continue.
    if (this.#awaited === 0) return 'wait';
    return this.#mayMoveByItself(this.#slots.length === 0 ? idleLingerMs : 0) ? 'look again' : 'end';
  }

  /**
   * Whether the handler's own work may be running. `untracedMs`: how long to assume so without a
   * trace.
   */
  #mayMoveByItself(untracedMs: number): boolean {
    const { isBusy, startedAt } = this.#plainWork;
    const quietMs = performance.now() - Math.max(this.#movedAt, startedAt ?? 0);
    if (isBusy) return quietMs < ownWorkMs;
    return quietMs < (startedAt === undefined ? untracedMs : lingerMs);
  }

  #over(end: PassEnd | undefined): void {
    this.#isOver = true;
    this.#started?.stop();
    this.#finish(end);
  }
}

function readSaved<T>(name: string, entry: MemoEntry, work: StepWork<T>): T {
  if ('error' in entry) throw savedError(name, entry.error);
  return work.read('data' in entry ? entry.data : null, name);
}
