/**
 * The passes that this process holds, from their claim until they are released.
 *
 * Owns: which pass is where, the slots of runners, the ids of invokes, time-outs of answers. Does
 * not own: claiming (ClaimLoop), sockets and requests (gateway, http), what an answer means (the
 * engine).
 *
 * Invariants P1. A pass takes a slot of exactly one runner while it is invoked or void, and of none
 * while it waits or settles. P2. An invoke id is answered at most once: its entry goes with the
 * first answer, refusal, loss or time-out. P3. A pass leaves memory only when the engine released
 * it, or by being handed back: which changes nothing where its lease is void already. P4. Answers
 * count only on the link that the invoke was sent over. P5. Nothing is sent while others may have
 * taken over what this process holds: a runner would execute steps again. P6. Nothing is sent of a
 * run that this process was told to pause: it is handed back, which pauses it.
 */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { ClaimedPass, Reply } from '../../../engine/passes/index.ts';
import { Outbox } from '../../outbox.ts';
import { within } from '../../within.ts';
import { pickRunner, type Routes } from '../routing/routes.ts';
import { freeSlots, type InvokeHost, type RunnerLink } from '../routing/runnerLink.ts';
import type { LinkReply, Work } from '../seams/work.ts';
import { HeldPass } from './heldPass.ts';
import { PauseMarks } from './pauseMarks.ts';
import { WaitingPasses } from './waitingPasses.ts';

export interface PassesOptions {
  work: Work;
  routes: Routes;
  log: Logger;
  /** Whether it is certain that nobody has taken over what was claimed here. */
  holdsLeases: () => boolean;
  /** Called when a runner may have room for more. */
  onCapacity: () => void;
  invokeTimeoutMs: number;
  waitMs: number;
  maxWaiting: number;
}

export interface PassesStats {
  held: number;
  waiting: number;
  invoked: number;
  /** Since the start: answers to no invoke, or to one that was answered, given up or cancelled. */
  ignoredAnswers: number;
  timeouts: number;
}

type Invokes = Map<string, HeldPass>;

export class Passes implements InvokeHost {
  readonly #options: PassesOptions;
  readonly #releases: Outbox<ClaimedPass>;
  readonly #byRun = new Map<string, HeldPass>();
  /** By link, in the order of sending: the first is the first to time out. */
  readonly #invokes = new Map<RunnerLink, Invokes>();
  readonly #waiting: WaitingPasses;
  readonly #pauses: PauseMarks;
  readonly #idPrefix = randomBytes(6).toString('base64url');
  #lastId = 0;
  #ignoredAnswers = 0;
  #timeouts = 0;
  /** How long a commit takes, smoothed. */
  #settleMs = 0;
  #draining = false;
  #onIdle: (() => void) | undefined;

  constructor(options: PassesOptions) {
    this.#options = options;
    const { log, work } = options;
    this.#releases = new Outbox({ name: 'releasing runs', send: (passes) => work.release(passes), log });
    this.#waiting = new WaitingPasses(options.maxWaiting);
    this.#pauses = new PauseMarks(options.maxWaiting);
  }

  stats(): PassesStats {
    return {
      held: this.#byRun.size,
      waiting: this.#waiting.size,
      invoked: [...this.#invokes.values()].reduce((sum, { size }) => sum + size, 0),
      ignoredAnswers: this.#ignoredAnswers,
      timeouts: this.#timeouts,
    };
  }

  /** Passes that wait here for a runner of this lane. */
  waitingFor(laneId: number): number {
    return this.#waiting.of(laneId);
  }

  /** How many wait, by lane; lanes without any are left out. */
  waitingByLane(): Iterable<readonly [laneId: number, passes: number]> {
    return this.#waiting.byLane();
  }

  /** What bears on how much to claim. */
  outlook(): { settleMs: number; waitingRoom: number } {
    return { settleMs: this.#settleMs, waitingRoom: this.#options.maxWaiting - this.#waiting.size };
  }

  /**
   * Runs with a runner since before that moment of the monotonic clock: whether they are still ours
   * is worth a look.
   */
  invokedBefore(atMs: number): string[] {
    const runIds: string[] = [];
    for (const [runId, { sinceMs, state }] of this.#byRun) {
      if (state === 'invoked' && sinceMs < atMs) runIds.push(runId);
    }
    return runIds;
  }

  /** No runner here takes that lane any more: what waits for it goes to others. */
  unserved(laneId: number): void {
    for (const held of this.#waiting.takeFor([laneId], Number.POSITIVE_INFINITY)) this.#giveBack(held);
  }

  /** Takes a claimed pass in and sends it to a runner. */
  take(pass: ClaimedPass): void {
    const held = new HeldPass(pass);
    this.#byRun.set(pass.runId, held);
    this.#dispatch(held);
  }

  /** Takes an answer in. One that nothing waits for is counted and dropped. */
  answered(link: RunnerLink, invokeId: string, reply: LinkReply): void {
    const invokes = this.#invokes.get(link);
    const held = invokes?.get(invokeId);
    if (!held) this.#ignoredAnswers += 1;
    else if (invokes?.delete(invokeId)) this.#end(held, reply);
  }

  /**
   * The link is gone, and with it all answers that were to come over it. Its routes must be removed
   * before.
   */
  lost(link: RunnerLink): void {
    const invokes = this.#invokes.get(link);
    this.#invokes.delete(link);
    for (const held of invokes?.values() ?? []) {
      this.#end(held, { kind: 'transport', reason: 'the connection to the runner was lost', socketLost: true });
    }
  }

  /**
   * The runner began none of its invokes but these: the others go elsewhere at once, as if they had
   * not been sent. Its routes must be removed before. Frames of a socket keep their order: whatever
   * it answered before it said so was taken in already, and what was on its way to it then is among
   * the others.
   */
  declined(link: RunnerLink, inFlight: ReadonlySet<string>): void {
    const invokes = this.#invokes.get(link);
    const others = [...(invokes ?? [])].filter(([id]) => !inFlight.has(id));
    for (const [id, held] of others) {
      invokes?.delete(id);
      const isWanted = held.state === 'invoked';
      held.freeSlot();
      if (isWanted) this.#dispatch(held);
    }
  }

  /** The run is over, or not ours any more: whatever its runner answers will be dropped. */
  cancel(runId: string, reason: string): void {
    const held = this.#byRun.get(runId);
    if (!held) return;
    if (held.state === 'waiting') {
      this.#waiting.remove(held);
      this.#giveBack(held);
    } else if (held.state === 'invoked') {
      this.#abandon(held, reason);
    }
  }

  /**
   * The run is to stop before its next step. What a runner works on is paused by the commit of its
   * answer.
   */
  pause(runId: string): void {
    const held = this.#byRun.get(runId);
    if (held?.state === 'waiting') {
      this.#waiting.remove(held);
      this.#giveBack(held);
    } else {
      this.#pauses.add(runId, performance.now());
    }
  }

  /** Our leases are void: no pass here is ours any more. */
  forgetAll(): void {
    for (const held of this.#waiting.takeAll()) this.#giveBack(held);
    for (const held of [...this.#byRun.values()]) {
      if (held.state === 'invoked') this.#abandon(held, 'the pass was taken over by another dispatcher');
      else this.#giveBack(held);
    }
  }

  /** Ends what waited too long: invokes for their answer, passes for a runner. */
  sweep(nowMs: number): void {
    const { invokeTimeoutMs, waitMs } = this.#options;
    for (const [link, invokes] of this.#invokes) {
      for (const [id, held] of invokes) {
        if (nowMs - held.sinceMs < invokeTimeoutMs) break;
        invokes.delete(id);
        this.#timeouts += 1;
        link.cancel(id, 'timed out');
        this.#end(held, { kind: 'transport', reason: `no answer within ${invokeTimeoutMs} ms`, socketLost: false });
      }
    }
    for (const [link, invokes] of this.#invokes) {
      if (invokes.size === 0 && !this.#options.routes.has(link)) this.#invokes.delete(link);
    }
    for (const held of this.#waiting.takeOlderThan(nowMs - waitMs)) this.#giveBack(held);
    this.#pauses.forget(nowMs - waitMs, (runId) => this.#byRun.has(runId));
  }

  /** A runner came, or can take more. */
  roomMade(link: RunnerLink): void {
    const { holdsLeases, onCapacity, routes } = this.#options;
    if (this.#draining || !routes.has(link)) return;
    if (this.#waiting.size > 0 && holdsLeases()) {
      for (const held of this.#waiting.takeFor(routes.lanesOf(link), freeSlots(link))) this.#dispatch(held);
    }
    onCapacity();
  }

  /**
   * From now on nothing is sent: what is answered is committed, and what would go on is handed
   * back.
   */
  startDraining(): void {
    this.#draining = true;
    for (const held of this.#waiting.takeAll()) this.#giveBack(held);
  }

  /** Waits for the answers that are out, that long at most; then hands back what has none. */
  async finish(withinMs: number): Promise<void> {
    if (this.#byRun.size > 0) await this.#idleWithin(withinMs);
    for (const held of [...this.#byRun.values()])
      if (held.state === 'invoked') this.#abandon(held, 'the service is stopping');
  }

  /**
   * Resolves once what was answered is committed and what was handed back is recorded, or after
   * that time.
   */
  async settled(withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs;
    if (this.#byRun.size > 0) await this.#idleWithin(withinMs);
    await this.#releases.idle(Math.max(0, deadline - performance.now()));
  }

  #dispatch(held: HeldPass): void {
    const isStopped = this.#draining || this.#pauses.take(held.pass.runId);
    const route = isStopped ? undefined : this.#options.routes.get(held.pass.laneId);
    const link = route && this.#options.holdsLeases() ? pickRunner(route) : undefined;
    if (link) this.#invoke(held, link);
    else if (!route || !this.#wait(held)) this.#giveBack(held);
  }

  /** False: too many wait already. */
  #wait(held: HeldPass): boolean {
    held.transition('waiting');
    return this.#waiting.add(held);
  }

  #invoke(held: HeldPass, link: RunnerLink): void {
    const id = `${this.#idPrefix}${(++this.#lastId).toString(36)}`;
    held.invoke(link, id);
    this.#invokesOf(link).set(id, held);
    try {
      link.send(id, held.pass.invokeText());
    } catch (error) {
      this.#options.log.error({ err: error, runId: held.pass.runId }, 'an invoke could not be written');
      this.answered(link, id, { kind: 'transport', reason: 'the invoke could not be written', socketLost: false });
    }
  }

  #invokesOf(link: RunnerLink): Invokes {
    const known = this.#invokes.get(link);
    if (known) return known;
    const made: Invokes = new Map();
    this.#invokes.set(link, made);
    return made;
  }

  /** An invoke came to its end, one way or another. */
  #end(held: HeldPass, reply: LinkReply): void {
    const { link, sinceMs, state } = held;
    if (!link) return;
    const nowMs = performance.now();
    const elapsedMs = nowMs - sinceMs;
    const isAnswer = reply.kind !== 'transport';
    if (isAnswer) link.answeredAtMs = nowMs;
    if (state === 'void') {
      held.freeSlot();
    } else {
      if (isAnswer) link.answerMs = smooth(link.answerMs, elapsedMs);
      void this.#settle(held, link, isAnswer ? { ...reply, elapsedMs } : reply);
    }
    this.roomMade(link);
  }

  async #settle(held: HeldPass, link: RunnerLink, reply: Reply): Promise<void> {
    held.transition('settling');
    link.settling += 1;
    const settled = await held.pass.settle(reply);
    this.#settleMs = smooth(this.#settleMs, performance.now() - held.sinceMs);
    link.settling -= 1;
    if (held.forgotten || settled === 'released') this.#forget(held);
    else this.#dispatch(held);
    this.roomMade(link);
  }

  #giveBack(held: HeldPass): void {
    const isOurs = !held.forgotten;
    this.#forget(held);
    if (isOurs) this.#releases.add(held.pass);
  }

  /**
   * Hands back what is still with a runner: its answer will find nobody, but takes its slot until
   * it comes.
   */
  #abandon(held: HeldPass, reason: string): void {
    held.transition('void');
    this.#giveBack(held);
    const { link } = held;
    if (!link?.cancel(held.invokeId, reason)) return;
    this.#invokes.get(link)?.delete(held.invokeId);
    held.freeSlot();
    this.roomMade(link);
  }

  #forget(held: HeldPass): void {
    held.forgotten = true;
    this.#pauses.take(held.pass.runId);
    if (this.#byRun.get(held.pass.runId) === held) this.#byRun.delete(held.pass.runId);
    if (this.#byRun.size === 0) this.#onIdle?.();
  }

  #idleWithin(ms: number): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    return within(ms, idle);
  }
}

const smooth = (before: number, now: number): number => (before === 0 ? now : before + (now - before) * smoothing);

const smoothing = 0.05;
