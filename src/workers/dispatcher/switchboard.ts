/**
 * Connects runners, lanes and passes.
 *
 * Owns: the reactions to runners that connect or disconnect, to hints and to polled changes. Does
 * not own: sockets and requests (gateway, http), timers and the dispatcher's identity (Dispatcher).
 */
import type { Logger } from 'pino';
import type { PolledChanges } from '../../engine/routing/index.ts';
import type { RunnerFigures } from '../../engine/tally/index.ts';
import { Loop } from '../loop.ts';
import type { DispatcherOptions } from './options.ts';
import { ClaimLoop } from './passes/claimLoop.ts';
import { EagerStarts } from './passes/eagerStarts.ts';
import { Passes, type PassesStats } from './passes/passes.ts';
import { type LaneDirectory, LaneFinder } from './routing/laneFinder.ts';
import { Routes } from './routing/routes.ts';
import type { RunnerLink } from './routing/runnerLink.ts';
import type { EagerKind, EagerPass, Work } from './seams/work.ts';

export interface SwitchboardOptions {
  work: Work;
  lanes: LaneDirectory;
  dispatcherId: () => string;
  holdsLeases: () => boolean;
  invokeTimeoutMs: number;
  options: DispatcherOptions;
  log: Logger;
}

export class Switchboard {
  readonly passes: Passes;
  readonly claims: ClaimLoop;
  readonly #routes = new Routes();
  readonly #eagerStarts: EagerStarts;
  readonly #finder: LaneFinder;
  readonly #learning: Loop;
  readonly #hints: Loop;
  readonly #newLinks = new Set<RunnerLink>();
  readonly #unknownLanes = new Set<number>();
  #newestLane = 0;
  /** The end, on the monotonic clock, of the time in which lanes with lower numbers may appear. */
  #lanesUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ work, lanes, dispatcherId, holdsLeases, invokeTimeoutMs, options, log }: SwitchboardOptions) {
    const routes = this.#routes;
    this.#finder = new LaneFinder(lanes, routes);
    this.passes = new Passes({
      ...options,
      work,
      routes,
      log,
      holdsLeases,
      invokeTimeoutMs,
      onCapacity: () => this.claims.capacityFreed(),
    });
    this.claims = new ClaimLoop({
      routes,
      log,
      claimLimit: options.claimLimit,
      claim: (groups) => work.claim(dispatcherId(), groups),
      take: (pass) => this.passes.take(pass),
      waiting: () => this.passes.waitingByLane(),
      outlook: () => this.passes.outlook(),
    });
    this.#eagerStarts = new EagerStarts({
      routes,
      dispatcherId,
      holdsLeases,
      isBacklogged: (laneId) => this.claims.leftWork(laneId) || this.passes.waitingFor(laneId) > 0,
      isAwaited: (laneId) => this.claims.mayHoldWork(laneId) || this.passes.waitingFor(laneId) > 0,
      take: (pass) => this.passes.take(pass),
      release: (pass) => void work.release([pass]),
    });
    this.#learning = new Loop({ name: 'learn lanes', restMs: batchMs, log, turn: () => this.#learnNew() });
    this.#hints = new Loop({ name: 'look up lanes', restMs: batchMs, log, turn: () => this.#learnHinted() });
  }

  stats(): PassesStats & { claims: number } {
    return { ...this.passes.stats(), claims: this.claims.claims };
  }

  /** The runners that take invokes, and how passes were sent to them. */
  runnerFigures(): RunnerFigures {
    const runners = { socket: 0, http: 0 };
    const slots = { used: 0, free: 0 };
    for (const { transport, load, maxInFlight } of this.#routes.links()) {
      runners[transport] += 1;
      slots.used += load;
      slots.free += Math.max(0, maxInFlight - load);
    }
    return { runners, slots, invokes: this.passes.stats().invokes };
  }

  start(): void {
    for (const part of [this.#learning, this.#hints, this.claims]) part.start();
  }

  /** Stops claiming and learning lanes. Resolves when the turns in progress have ended. */
  async stop(): Promise<void> {
    await Promise.all([this.#learning, this.#hints, this.claims].map((part) => part.stop()));
  }

  /** A runner takes invokes from now on. */
  linkOpened(link: RunnerLink): void {
    this.#routes.add(link);
    this.#newLinks.add(link);
    this.passes.roomMade(link);
    this.#learning.nudge();
  }

  /** A runner takes no more invokes, but may still answer its open ones. */
  linkPaused(link: RunnerLink): void {
    const laneIds = [...this.#routes.lanesOf(link)];
    this.#newLinks.delete(link);
    this.#routes.remove(link);
    for (const laneId of laneIds) if (!this.#routes.get(laneId)) this.passes.unserved(laneId);
  }

  /** A runner is gone. */
  linkEnded(link: RunnerLink): void {
    this.linkPaused(link);
    this.passes.lost(link);
  }

  /**
   * A runner is closing. The runner has begun, and will answer, only the invokes in `inFlight`.
   * Undefined: it answers all.
   */
  linkDrained(link: RunnerLink, inFlight: ReadonlySet<string> | undefined): void {
    this.linkPaused(link);
    if (inFlight) this.passes.declined(link, inFlight);
  }

  /** The leases are certain again: sends the passes that were held back meanwhile (P5). */
  leasesRenewed(): void {
    for (const link of [...this.#routes.links()]) this.passes.roomMade(link);
  }

  /** Reserves a runner slot for a run that is about to start in this lane. */
  reserve(laneId: number, kind: EagerKind): EagerPass | undefined {
    return this.#eagerStarts.reserve(laneId, kind);
  }

  /** A hint: these lanes hold work. Some may not be served here. */
  workReady(laneIds: readonly number[]): void {
    const known: number[] = [];
    for (const laneId of laneIds) {
      if (this.#routes.get(laneId)) known.push(laneId);
      else this.#unknownLanes.add(laneId);
    }
    if (known.length > 0) this.claims.look(known);
    if (this.#unknownLanes.size > 0) this.#hints.nudge();
  }

  /** The lanes and runs about which to poll for changes. */
  pollQuestion(pollMs: number): { laneIds: number[]; runIds: string[] } {
    const runIds = this.passes.invokedBefore(performance.now() - pollMs);
    return { laneIds: [...this.#routes.lanes()], runIds };
  }

  async apply({ lostRuns, newestLane, readyLanes }: PolledChanges): Promise<void> {
    for (const runId of lostRuns) this.passes.cancel(runId, 'the run was cancelled or taken over');
    if (readyLanes.length > 0) this.claims.look(readyLanes);
    const nowMs = performance.now();
    if (newestLane !== this.#newestLane) this.#lanesUntilMs = nowMs + commitMs;
    else if (nowMs >= this.#lanesUntilMs) return;
    this.claims.look(await this.#finder.findPinned());
    this.#newestLane = newestLane;
  }

  async #learnNew(): Promise<void> {
    const links = [...this.#newLinks];
    const laneIds = await this.#finder.lanesFor(links);
    for (const link of links) this.#newLinks.delete(link);
    this.claims.look(laneIds);
  }

  async #learnHinted(): Promise<void> {
    const laneIds = [...this.#unknownLanes];
    const served = await this.#finder.servedOf(laneIds);
    for (const laneId of laneIds) this.#unknownLanes.delete(laneId);
    this.claims.look(served);
  }
}

/** Lanes of runners that connect within these ms are looked up together. */
const batchMs = 5;

/**
 * A lane gets its number before its commit, so a lower number may become visible after a higher
 * one. Lanes are looked for as long as the transaction that inserts one may take, in ms.
 */
const commitMs = 60_000;
