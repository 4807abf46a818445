/**
 * A process that executes passes: many may run at once.
 *
 * Owns: the dispatcher's identity, its timers, start and stop. The parts do the work.
 *
 * Invariants D1. Passes are claimed only under an id whose heartbeat is renewed; an id that others
 * found silent is given up with everything leased under it. D2. Passes are sent to runners only
 * while the last heartbeat is so young that nobody can have found this one silent: a process that
 * stood still asks first. D3. `stop` ends within about eight seconds; what is still with a runner
 * by then is handed back.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { EngineContext } from '../../engine/context.ts';
import { Loop } from '../loop.ts';
import { connectEngine, type EngineSeams } from './engineSeams.ts';
import type { Gateway, GatewayStats } from './gateway/gateway.ts';
import type { HttpRunners, HttpRunnersStats } from './http/httpRunners.ts';
import { type DispatcherOptions, type DispatcherSettings, defaultOptions } from './options.ts';
import { createParts, type Parts } from './parts.ts';
import type { PassesStats } from './passes/passes.ts';
import type { Switchboard } from './switchboard.ts';
import { within } from './within.ts';

export interface DispatcherSetup {
  engine: EngineContext;
  /** An option that has a default keeps it unless it is given. */
  options: DispatcherSettings & Partial<DispatcherOptions>;
  /** The parts of the engine that are used; tests script them. */
  seams?: EngineSeams;
}

export interface DispatcherStats extends PassesStats, GatewayStats, HttpRunnersStats {
  claims: number;
}

/**
 * Executes passes: holds the sockets of runners, calls those that registered a URL, and claims runs
 * for both. Many processes may each run one.
 */
export class Dispatcher {
  readonly #engine: EngineContext;
  readonly #seams: EngineSeams;
  readonly #options: DispatcherOptions;
  readonly #board: Switchboard;
  readonly #gateway: Gateway;
  readonly #http: HttpRunners;
  readonly #parts: Parts;
  readonly #refresh: Loop;
  readonly #rejoin: Loop;
  readonly #loops: readonly Loop[];
  #unlisten: (() => void)[] = [];
  #id = '';
  #isDatabaseAway = false;
  /** Until when, on the monotonic clock, nobody takes what is leased under this id. */
  #leasedUntilMs = Number.NEGATIVE_INFINITY;
  #registryEpoch = 0;
  #stopping: Promise<void> | undefined;

  constructor({ engine, options, seams = connectEngine(engine) }: DispatcherSetup) {
    const { log, settings } = engine;
    this.#engine = engine;
    this.#seams = seams;
    this.#options = { ...defaultOptions, ...options };
    this.#parts = createParts({
      engine,
      seams,
      options: this.#options,
      dispatcherId: () => this.#id,
      holdsLeases: () => performance.now() < this.#leasedUntilMs,
    });
    this.#board = this.#parts.board;
    this.#gateway = this.#parts.gateway;
    this.#http = this.#parts.http;
    const { newsMs, probeMs, tickMs } = this.#options;
    this.#refresh = new Loop({ name: 'refresh', restMs: refreshMs, turn: () => this.#lookAround(), log });
    this.#rejoin = new Loop({ name: 'rejoin', restMs: refreshMs, turn: () => this.#comeBack(), log });
    const duties = [
      { name: 'heartbeat', everyMs: tickMs, turn: () => this.#beat() },
      // Beside the heartbeat: it waits for the claim under way, and may fail.
      { name: 'suspects', everyMs: tickMs, turn: () => seams.work.releaseSuspects(this.#id) },
      { name: 'sweep', everyMs: this.#sweepMs(), turn: () => this.#sweep(this.#sweepMs()) },
      { name: 'news', everyMs: newsMs, turn: () => this.#askForNews() },
      { name: 'seen', everyMs: settings.runnerHeartbeatMs, turn: () => this.#gateway.touch() },
      { name: 'probe', everyMs: probeMs, turn: () => this.#http.probeSilent() },
    ];
    this.#loops = [this.#refresh, this.#rejoin, ...duties.map((duty) => new Loop({ ...duty, log }))];
  }

  /** Enters this process as a dispatcher and begins. Throws when the database cannot be reached. */
  async start(): Promise<void> {
    await this.#register();
    this.#listen();
    this.#board.start();
    await this.#http.refresh();
    if (this.#stopping) return;
    // The first probe comes once it is known whom to ask.
    for (const loop of this.#loops) loop.start();
    this.#engine.log.info({ dispatcherId: this.#id }, 'dispatcher started');
  }

  /**
   * Claims nothing more, tells sockets to go elsewhere, lets passes in flight finish for a while,
   * hands back the rest, and leaves. Idempotent.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Takes a `GET /connect` upgrade. Other paths are the caller's. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#parts.upgrades.handle(request, socket, head);
  }

  stats(): DispatcherStats {
    return { ...this.#board.stats(), ...this.#gateway.stats(), ...this.#http.stats() };
  }

  #listen(): void {
    const { bus } = this.#engine;
    this.#unlisten = [
      this.#seams.work.offerEagerStarts((laneId) => this.#board.reserve(laneId)),
      bus.on('work.ready', ({ laneIds }) => this.#board.workReady(laneIds)),
      bus.on('run.cancelled', ({ runId, reason }) => this.#board.passes.cancel(runId, reason)),
      bus.on('run.pausing', ({ runId }) => this.#board.passes.pause(runId)),
      bus.on('registry.changed', () => {
        this.#http.forgetSecrets();
        this.#refresh.nudge();
      }),
    ];
  }

  async #stop(): Promise<void> {
    const { drainMs } = this.#options;
    const { passes } = this.#board;
    this.#parts.upgrades.close();
    for (const unlisten of this.#unlisten) unlisten();
    const stopped = Promise.all([this.#refresh, this.#rejoin, this.#http, this.#board].map((part) => part.stop()));
    passes.startDraining();
    this.#gateway.drain();
    await within(graceMs, stopped);
    await passes.finish(drainMs);
    await passes.settled(graceMs);
    await this.#gateway.close(graceMs);
    await within(graceMs, Promise.all(this.#loops.map((loop) => loop.stop())));
    for (const client of this.#parts.clients) client.close();
    if (this.#id !== '') await within(graceMs, this.#retire(this.#id));
  }

  async #retire(id: string): Promise<void> {
    try {
      await this.#seams.work.retire(id);
    } catch (error) {
      this.#engine.log.warn({ err: error }, 'the dispatcher could not take leave; others will find it silent');
    }
  }

  async #beat(): Promise<void> {
    const id = this.#id;
    const wasAway = this.#isDatabaseAway;
    this.#isDatabaseAway = true;
    const sentMs = performance.now();
    const { alive } = await this.#seams.work.tick(id);
    this.#isDatabaseAway = false;
    if (alive) this.#renewed(sentMs);
    // While the database was away nobody was seen: the runners are there all the same.
    if (wasAway) this.#touchSoon();
    if (alive || this.#stopping) return;
    this.#engine.log.warn({ dispatcherId: id }, 'found silent by others: starting anew');
    await this.#board.claims.stop();
    this.#board.passes.forgetAll();
    // A claim that came too late may have leased runs to the old id.
    await this.#seams.work.retire(id);
    await this.#register();
    this.#board.claims.start();
    this.#rejoin.nudge();
  }

  /** Not waited for: the next heartbeat must not be late. */
  #touchSoon(): void {
    this.#gateway.touch().catch((error: unknown) => {
      this.#engine.log.warn({ err: error }, 'runners are marked as seen later');
    });
  }

  async #register(): Promise<void> {
    const sentMs = performance.now();
    this.#id = await this.#seams.work.register();
    this.#renewed(sentMs);
  }

  /** A heartbeat that was sent then has been recorded. */
  #renewed(sentMs: number): void {
    const hadLapsed = performance.now() >= this.#leasedUntilMs;
    this.#leasedUntilMs = sentMs + this.#options.silenceMs;
    if (hadLapsed) this.#board.leasesRenewed();
  }

  #sweep(everyMs: number): void {
    const nowMs = performance.now();
    this.#gateway.sweep(nowMs, everyMs);
    this.#board.passes.sweep(nowMs);
  }

  async #askForNews(): Promise<void> {
    const question = this.#board.question(this.#options.newsMs);
    const news = await this.#seams.work.news({ dispatcherId: this.#id, ...question });
    await this.#board.take(news);
    if (news.registryEpoch !== this.#registryEpoch) this.#refresh.nudge();
    this.#registryEpoch = news.registryEpoch;
  }

  /**
   * Takes back the runners that are still here, and lets go of those that went elsewhere meanwhile.
   */
  async #comeBack(): Promise<void> {
    await this.#gateway.registerAgain();
    this.#refresh.nudge();
  }

  /** Definitions or runners changed, here or elsewhere. */
  async #lookAround(): Promise<void> {
    await this.#http.refresh();
    if (await this.#gateway.dropReplaced()) this.#refresh.nudge();
  }

  #sweepMs(): number {
    const { invokeTimeoutMs, runnerHeartbeatMs, runnerLivenessMs } = this.#engine.settings;
    const shortest = Math.min(invokeTimeoutMs, runnerHeartbeatMs, runnerLivenessMs, this.#options.helloTimeoutMs);
    return this.#options.sweepMs ?? Math.min(1_000, Math.max(20, shortest / 4));
  }
}

const graceMs = 400;
const refreshMs = 500;
