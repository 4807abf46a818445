/**
 * Joins runners, lanes and passes.
 *
 * Owns: what happens when a runner comes, answers or goes, when there is a hint of work, and when
 * there is news. Does not own: sockets and requests (gateway, http), timers and the dispatcher's
 * identity (Dispatcher).
 */
import type { Logger } from 'pino';
import type { News } from '../../engine/routing/index.ts';
import { Loop } from '../loop.ts';
import type { DispatcherOptions } from './options.ts';
import { ClaimLoop } from './passes/claimLoop.ts';
import { Passes, type PassesStats } from './passes/passes.ts';
import { Seats } from './passes/seats.ts';
import { type LaneDirectory, LaneFinder } from './routing/laneFinder.ts';
import { Routes } from './routing/routes.ts';
import type { RunnerLink } from './routing/runnerLink.ts';
import type { PassSeat, Work } from './seams/work.ts';

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
  readonly #seats: Seats;
  readonly #finder: LaneFinder;
  readonly #learning: Loop;
  readonly #hints: Loop;
  readonly #newLinks = new Set<RunnerLink>();
  readonly #unknownLanes = new Set<number>();
  #newestLane = 0;
  /** Until when, on the monotonic clock, lanes that are older than the newest may appear. */
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
      share: (pools) => work.share(pools),
      claim: (demands) => work.claim(dispatcherId(), demands),
      take: (pass) => this.passes.take(pass),
      waiting: () => this.passes.waitingByLane(),
      outlook: () => this.passes.outlook(),
    });
    this.#seats = new Seats({
      routes,
      dispatcherId,
      holdsLeases,
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

  start(): void {
    for (const part of [this.#learning, this.#hints, this.claims]) part.start();
  }

  /** Claims nothing more, and learns of no lane; resolves when what is under way has ended. */
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

  /** A runner takes no more invokes, but may answer those that it has. */
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
   * A runner is closing: it answers these invokes, or all that it has, and began none of the
   * others.
   */
  linkDrained(link: RunnerLink, inFlight: ReadonlySet<string> | undefined): void {
    this.linkPaused(link);
    if (inFlight) this.passes.declined(link, inFlight);
  }

  /** What was held back until it was certain whose it is may go now. */
  leasesRenewed(): void {
    for (const link of [...this.#routes.links()]) this.passes.roomMade(link);
  }

  /** A place for a run that is about to start in this lane. */
  seat(laneId: number): PassSeat | undefined {
    return this.#seats.give(laneId);
  }

  /** A hint: these lanes hold work, ours or not. */
  workReady(laneIds: readonly number[]): void {
    const known: number[] = [];
    for (const laneId of laneIds) {
      if (this.#routes.get(laneId)) known.push(laneId);
      else this.#unknownLanes.add(laneId);
    }
    if (known.length > 0) this.claims.look(known);
    if (this.#unknownLanes.size > 0) this.#hints.nudge();
  }

  /** What to ask for news about. */
  question(newsMs: number): { laneIds: number[]; runIds: string[] } {
    const runIds = this.passes.invokedBefore(performance.now() - newsMs);
    return { laneIds: [...this.#routes.lanes()], runIds };
  }

  async take({ lostRuns, newestLane, readyLanes }: News): Promise<void> {
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

/** Lanes of runners that come at the same time are looked up together. */
const batchMs = 5;

/**
 * A lane has its number before it is committed: one with a lower number may become visible after
 * the newest. So they are looked for as long as a transaction may take in which it is made, in ms.
 */
const commitMs = 60_000;
