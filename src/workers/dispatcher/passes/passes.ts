/**
 * The passes that this process holds, from their claim until they are released.
 *
 * Owns: the state of each pass, and which runner gets it next. Does not own: claiming (ClaimLoop),
 * ids of invokes (Invokes), suspended handlers (Continuations), sockets and requests (gateway,
 * http), the meaning of an answer (the engine).
 *
 * Invariants:
 * P1. A pass occupies a slot of exactly one runner while it is invoked, and none while it waits or
 *     settles. If it is abandoned while invoked, its slot stays occupied until the runner has
 *     finished.
 * P2. An invoke ends at most once: the first answer, refusal, loss or timeout removes its entry.
 * P3. A pass leaves memory only when the engine has released its run, or when this process releases
 *     it. A release changes nothing if the lease has ended already.
 * P4. An answer counts only on the link over which its invoke was sent.
 * P5. No pass is sent while another dispatcher may have taken over the leases of this one.
 *     Otherwise a runner would execute steps again.
 * P6. No pass is sent of a run that is to be paused. The run is released, which pauses it.
 */
import type { StartedStep } from '@holdfast/sdk/protocol';
import type { Logger } from 'pino';
import type { ClaimedPass, Reply, Settlement } from '../../../engine/passes/index.ts';
import type { InvokeKind } from '../../../engine/tally/index.ts';
import { pickRunner, type Routes } from '../routing/routes.ts';
import { freeSlots, type InvokeHost, type RunnerLink } from '../routing/runnerLink.ts';
import type { LinkReply, Work } from '../seams/work.ts';
import { Continuations } from './continuations.ts';
import { type HeldPass, HeldPasses } from './heldPasses.ts';
import { Invokes } from './invokes.ts';
import { PauseMarks } from './pauseMarks.ts';
import { WaitingPasses } from './waitingPasses.ts';

export interface PassesOptions {
  work: Work;
  routes: Routes;
  log: Logger;
  /** Whether it is certain that no other dispatcher has taken over the leases of this one. */
  holdsLeases: () => boolean;
  /** Called when a runner may have a free slot. */
  onCapacity: () => void;
  invokeTimeoutMs: number;
  waitMs: number;
  maxWaiting: number;
  /** Whether a pass may continue its suspended handler. */
  mayContinue: () => boolean;
}

export interface PassesStats {
  held: number;
  waiting: number;
  invoked: number;
  /** Since the start: answers to no invoke, or to one that had ended. */
  ignoredAnswers: number;
  timeouts: number;
  /** Since the start: how passes were sent. */
  invokes: Readonly<Record<InvokeKind, number>>;
}

export class Passes implements InvokeHost {
  readonly #options: PassesOptions;
  readonly #held: HeldPasses;
  readonly #invokes = new Invokes();
  readonly #continuations: Continuations;
  readonly #waiting: WaitingPasses;
  readonly #pauses: PauseMarks;
  readonly #sent: Record<InvokeKind, number> = { full: 0, continued: 0, lost: 0 };
  #ignoredAnswers = 0;
  #timeouts = 0;
  /** How long a commit takes, smoothed. */
  #settleMs = 0;
  #draining = false;

  constructor(options: PassesOptions) {
    this.#options = options;
    const { log, mayContinue, routes, work } = options;
    this.#continuations = new Continuations({ routes, mayContinue });
    this.#held = new HeldPasses({ release: (passes) => work.release(passes), log });
    this.#waiting = new WaitingPasses(options.maxWaiting);
    this.#pauses = new PauseMarks(options.maxWaiting);
  }

  stats(): PassesStats {
    return {
      held: this.#held.size,
      waiting: this.#waiting.size,
      invoked: this.#invokes.size,
      ignoredAnswers: this.#ignoredAnswers,
      timeouts: this.#timeouts,
      invokes: this.#sent,
    };
  }

  /** How many passes wait here for a runner of this lane. */
  waitingFor(laneId: number): number {
    return this.#waiting.of(laneId);
  }

  /** How many passes wait, by lane. Lanes without any are left out. */
  waitingByLane(): Iterable<readonly [laneId: number, passes: number]> {
    return this.#waiting.byLane();
  }

  /** The figures by which the claim loop decides how much to claim. */
  outlook(): { settleMs: number; waitingRoom: number } {
    return { settleMs: this.#settleMs, waitingRoom: this.#options.maxWaiting - this.#waiting.size };
  }

  /** Runs that a runner has been executing since before that moment of the monotonic clock. */
  invokedBefore(atMs: number): string[] {
    const invoked = this.#held.all().filter(({ sinceMs, state }) => state === 'invoked' && sinceMs < atMs);
    return invoked.map(({ pass }) => pass.runId);
  }

  /** Sends a claimed pass to a runner, or lets it wait for one. */
  take(pass: ClaimedPass): void {
    this.#dispatch(this.#held.add(pass));
  }

  /** Records the steps that a runner executes. A message about no open invoke is dropped (P4). */
  started(link: RunnerLink, invokeId: string, steps: readonly StartedStep[]): void {
    const held = this.#invokes.get(link, invokeId);
    if (held?.state === 'invoked') held.pass.started(steps, performance.now() - held.sinceMs);
  }

  /** Accepts an answer. An answer to no invoke is counted and dropped (P2, P4). */
  answered(link: RunnerLink, invokeId: string, reply: LinkReply): void {
    const held = this.#invokes.take(link, invokeId);
    if (held) this.#end(held, reply);
    else this.#ignoredAnswers += 1;
  }

  /**
   * H5. The runner has let go of the handler that this invoke was to continue, and has begun
   * nothing.
   */
  handlerLost(link: RunnerLink, invokeId: string): boolean {
    const held = this.#invokes.get(link, invokeId);
    if (!held) return true;
    if (!held.isContinued) return false;
    this.#sent.lost += 1;
    this.#invokes.take(link, invokeId);
    this.#sendAgain(held);
    this.roomMade(link);
    return true;
  }

  /** Ends the invokes of a lost link. The caller removes its routes before. */
  lost(link: RunnerLink): void {
    for (const held of this.#invokes.takeAllBut(link, new Set())) {
      this.#end(held, { kind: 'transport', reason: 'the connection to the runner was lost', socketLost: true });
    }
  }

  /**
   * The runner has begun only the invokes in `inFlight`. The others go to other runners at once, as
   * if they had not been sent. The caller removes the routes before. Frames of a socket keep their
   * order, so earlier answers have been accepted. Invokes that the runner has not received yet are
   * among the others.
   */
  declined(link: RunnerLink, inFlight: ReadonlySet<string>): void {
    for (const held of this.#invokes.takeAllBut(link, inFlight)) this.#sendAgain(held);
  }

  /** Releases the waiting passes of a lane that no runner here serves any more. */
  unserved(laneId: number): void {
    for (const held of this.#waiting.takeFor([laneId], Number.POSITIVE_INFINITY)) this.#giveBack(held);
  }

  /** Drops a run that has ended, or whose lease has. The answer of its runner will be dropped. */
  cancel(runId: string, reason: string): void {
    const held = this.#held.get(runId);
    if (held?.state === 'waiting') this.#stopWaiting(held);
    else if (held?.state === 'invoked') this.#abandon(held, reason);
  }

  /** P6. If a runner executes the run, the commit of its answer pauses it. */
  pause(runId: string): void {
    const held = this.#held.get(runId);
    if (held?.state === 'waiting') this.#stopWaiting(held);
    else this.#pauses.add(runId, performance.now());
  }

  /** Forgets all passes, because the leases of this dispatcher have ended. */
  forgetAll(): void {
    for (const held of this.#waiting.takeAll()) this.#giveBack(held);
    for (const held of this.#held.all()) {
      if (held.state === 'invoked') this.#abandon(held, 'the pass was taken over by another dispatcher');
      else this.#giveBack(held);
    }
  }

  /** Times out invokes without an answer, and passes that wait for a runner. */
  sweep(nowMs: number): void {
    const { invokeTimeoutMs, routes, waitMs } = this.#options;
    const reason = `no answer within ${invokeTimeoutMs} ms`;
    const reply = { kind: 'transport', reason, socketLost: false, hasTimedOut: true } as const;
    for (const held of this.#invokes.takeOlderThan(nowMs - invokeTimeoutMs)) {
      this.#timeouts += 1;
      held.link?.cancel(held.invokeId, 'timed out');
      this.#end(held, reply);
    }
    this.#invokes.prune((link) => routes.has(link));
    for (const held of this.#waiting.takeOlderThan(nowMs - waitMs)) this.#giveBack(held);
    this.#pauses.expire(nowMs - waitMs, (runId) => this.#held.get(runId) !== undefined);
  }

  /** A runner has connected, or has a free slot. */
  roomMade(link: RunnerLink): void {
    const { holdsLeases, onCapacity, routes } = this.#options;
    if (this.#draining || !routes.has(link)) return;
    const free = this.#waiting.size > 0 ? freeSlots(link) : 0;
    if (free > 0 && holdsLeases()) {
      for (const held of this.#waiting.takeFor(routes.lanesOf(link), free)) this.#dispatch(held);
    }
    onCapacity();
  }

  /**
   * Stops sending. Answers are committed, and passes that would continue are released.
   */
  startDraining(): void {
    this.#draining = true;
    for (const held of this.#waiting.takeAll()) this.#giveBack(held);
  }

  /** Waits that long for open answers. Then releases the passes without one. */
  async finish(withinMs: number): Promise<void> {
    await this.#held.idle(withinMs);
    for (const held of this.#held.all()) if (held.state === 'invoked') this.#abandon(held, 'the service is stopping');
  }

  /** Resolves once all answers are committed and all releases recorded, or after that time. */
  settled(withinMs: number): Promise<void> {
    return this.#held.settled(withinMs);
  }

  /** Sends a pass without a runner, or lets it wait, or releases it. */
  #dispatch(held: HeldPass): void {
    const isStopped = this.#draining || this.#pauses.take(held.pass.runId); // P6
    const route = isStopped ? undefined : this.#options.routes.get(held.pass.laneId);
    const isSendable = route && this.#options.holdsLeases(); // P5
    const link = isSendable ? (this.#continuations.runnerOf(held) ?? pickRunner(route)) : undefined;
    if (link) this.#invoke(held, link);
    else if (!route || !this.#waiting.add(held)) this.#giveBack(held);
  }

  /** Sends a pass that its runner has not begun, as if it had not been sent. */
  #sendAgain(held: HeldPass): void {
    if (held.state === 'over') held.freeSlot();
    else if (held.transition('waiting')) this.#dispatch(held);
  }

  #invoke(held: HeldPass, link: RunnerLink): void {
    try {
      this.#invokes.begin(held, link, () => {
        this.#continuations.send(held, link);
        this.#sent[held.isContinued ? 'continued' : 'full'] += 1;
      });
    } catch (error) {
      this.#options.log.error({ err: error, runId: held.pass.runId }, 'writing an invoke failed');
      const reason = 'the invoke could not be written';
      this.answered(link, held.invokeId, { kind: 'transport', reason, socketLost: false });
    }
  }

  /** An invoke has ended. */
  #end(held: HeldPass, reply: LinkReply): void {
    const { link, sinceMs, state } = held;
    if (!link) return;
    const nowMs = performance.now();
    const elapsedMs = nowMs - sinceMs;
    const isAnswer = reply.kind !== 'transport';
    if (isAnswer) link.answeredAtMs = nowMs;
    if (state === 'over') {
      held.freeSlot();
    } else {
      if (isAnswer) link.answerMs = smooth(link.answerMs, elapsedMs);
      if (reply.kind === 'answer' && reply.isHeld) this.#continuations.keep(held, link);
      void this.#settle(held, link, isAnswer ? { ...reply, elapsedMs } : reply);
    }
    this.roomMade(link);
  }

  async #settle(held: HeldPass, link: RunnerLink, reply: Reply): Promise<void> {
    held.transition('settling');
    const startedMs = performance.now();
    link.settling += 1;
    const settled = await held.pass.settle(reply, link.transport);
    this.#settleMs = smooth(this.#settleMs, performance.now() - startedMs);
    link.settling -= 1;
    // P3. The pass may have been abandoned meanwhile.
    if (held.state === 'settling') this.#continue(held, settled);
    this.roomMade(link);
  }

  #continue(held: HeldPass, settled: Settlement): void {
    if (settled === 'again') {
      if (held.transition('waiting')) this.#dispatch(held);
    } else {
      this.#pauses.take(held.pass.runId);
      this.#held.remove(held);
      this.#continuations.end(held, 'the run does not continue here');
    }
  }

  #stopWaiting(held: HeldPass): void {
    this.#waiting.remove(held);
    this.#giveBack(held);
  }

  #giveBack(held: HeldPass): void {
    this.#pauses.take(held.pass.runId);
    this.#held.giveBack(held);
    this.#continuations.end(held, 'the run does not continue here'); // H3
  }

  /**
   * Releases a pass that a runner executes. P1: its slot stays occupied until the runner has
   * finished.
   */
  #abandon(held: HeldPass, reason: string): void {
    this.#giveBack(held);
    const { link } = held;
    if (!link?.cancel(held.invokeId, reason)) return;
    this.#invokes.take(link, held.invokeId);
    held.freeSlot();
    this.roomMade(link);
  }
}

const smooth = (before: number, now: number): number => (before === 0 ? now : before + (now - before) * smoothing);

const smoothing = 0.05;
