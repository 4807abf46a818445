/**
 * The dispatcher of a process. Many processes may each run one.
 *
 * Owns: the dispatcher's identity, its timers, start and stop. Does not own: the work, which its
 * parts do.
 *
 * Invariants:
 * D1. Runs are claimed only under an id whose heartbeat is renewed. If others find the dispatcher
 *     dead, it abandons its id and everything leased to it.
 * D2. Passes are sent only while the last heartbeat is recent enough to exclude a takeover. After a
 *     freeze, the dispatcher asks the database first.
 * D3. `stop` ends within about eight seconds. Runs that a runner still executes then are released.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { EngineContext } from '../../engine/context.ts';
import { processTally } from '../../engine/tally/index.ts';
import { Loop } from '../loop.ts';
import { within } from '../within.ts';
import { connectEngine, type EngineSeams } from './engineSeams.ts';
import type { Gateway, GatewayStats } from './gateway/gateway.ts';
import type { HttpRunners, HttpRunnersStats } from './http/httpRunners.ts';
import { type DispatcherOptions, type DispatcherSettings, defaultOptions } from './options.ts';
import { createParts, type Parts } from './parts.ts';
import type { PassesStats } from './passes/passes.ts';
import type { Switchboard } from './switchboard.ts';

export interface DispatcherSetup {
  engine: EngineContext;
  /** Options that are left out have defaults. */
  options: DispatcherSettings & Partial<DispatcherOptions>;
  /** The functions of the engine that the dispatcher calls. Tests script them. */
  seams?: EngineSeams;
}

export interface DispatcherStats extends PassesStats, GatewayStats, HttpRunnersStats {
  claims: number;
}

/** Executes passes: holds the sockets of runners, calls HTTP runners, and claims runs for both. */
export class Dispatcher {
  readonly #engine: EngineContext;
  readonly #seams: EngineSeams;
  readonly #options: DispatcherOptions;
  readonly #board: Switchboard;
  readonly #gateway: Gateway;
  readonly #http: HttpRunners;
  readonly #parts: Parts;
  readonly #refresh: Loop;
  readonly #loops: readonly Loop[];
  #unlisten: (() => void)[] = [];
  #id = '';
  #isDatabaseAway = false;
  /**
   * D2. The end, on the monotonic clock, of the time in which no other takes over these leases.
   */
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
    processTally(engine).runners = () => this.#board.runnerFigures();
    this.#gateway = this.#parts.gateway;
    this.#http = this.#parts.http;
    const { pollMs, probeMs, tickMs } = this.#options;
    this.#refresh = new Loop({
      name: 'refresh',
      everyMs: reconcileMs,
      restMs: refreshMs,
      turn: () => this.#lookAround(),
      log,
    });
    const duties = [
      { name: 'heartbeat', everyMs: tickMs, turn: () => this.#beat() },
      // Not part of the heartbeat, because this waits for the claim in progress, and may fail.
      { name: 'suspects', everyMs: tickMs, turn: () => seams.work.releaseSuspects(this.#id) },
      { name: 'sweep', everyMs: this.#sweepMs(), turn: () => this.#sweep(this.#sweepMs()) },
      { name: 'poll', everyMs: pollMs, turn: () => this.#poll() },
      { name: 'seen', everyMs: settings.runnerHeartbeatMs, turn: () => this.#gateway.touch() },
      { name: 'probe', everyMs: probeMs, turn: () => this.#http.probeSilent() },
    ];
    this.#loops = [this.#refresh, ...duties.map((duty) => new Loop({ ...duty, log }))];
  }

  /**
   * Registers this process as a dispatcher, and begins. Throws if the database cannot be reached.
   */
  async start(): Promise<void> {
    await this.#register();
    this.#listen();
    this.#board.start();
    await this.#http.refresh();
    if (this.#stopping) return;
    // The first probe follows the list of HTTP runners.
    for (const loop of this.#loops) loop.start();
    this.#engine.log.info({ dispatcherId: this.#id }, 'dispatcher started');
  }

  /**
   * D3. Stops claiming, asks runners to reconnect elsewhere, waits a while for open passes,
   *     releases the other runs, and retires the dispatcher. Idempotent.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Handles the upgrade of `GET /connect`. The caller handles other paths. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#parts.upgrades.handle(request, socket, head);
  }

  stats(): DispatcherStats {
    return { ...this.#board.stats(), ...this.#gateway.stats(), ...this.#http.stats() };
  }

  #listen(): void {
    const { bus } = this.#engine;
    this.#unlisten = [
      this.#seams.work.offerSlots((laneId, kind) => this.#board.reserve(laneId, kind)),
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
    const stopped = Promise.all([this.#refresh, this.#http, this.#board].map((part) => part.stop()));
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
      this.#engine.log.warn({ err: error }, 'retiring the dispatcher failed: others will find it dead');
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
    // No runner could be marked as seen while the database was away.
    if (wasAway) this.#touchSoon();
    if (alive || this.#stopping) return;
    // D1
    this.#engine.log.warn({ dispatcherId: id }, 'dispatcher found dead by others: registering again');
    await this.#board.claims.stop();
    this.#board.passes.forgetAll();
    // A late claim may have leased runs to the old id.
    await this.#seams.work.retire(id);
    await this.#register();
    this.#board.claims.start();
    // Registers the runners again, under the new id.
    this.#refresh.nudge();
  }

  /** Does not wait, because the next heartbeat must not be late. */
  #touchSoon(): void {
    this.#gateway.touch().catch((error: unknown) => {
      this.#engine.log.warn({ err: error }, 'marking runners as seen failed: retrying later');
    });
  }

  async #register(): Promise<void> {
    const sentMs = performance.now();
    this.#id = await this.#seams.work.register();
    this.#renewed(sentMs);
  }

  /** D2. A heartbeat that was sent at that moment has been recorded. */
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

  async #poll(): Promise<void> {
    const question = this.#board.pollQuestion(this.#options.pollMs);
    const changes = await this.#seams.work.poll({ dispatcherId: this.#id, ...question });
    await this.#board.apply(changes);
    if (changes.registryEpoch !== this.#registryEpoch) this.#refresh.nudge();
    this.#registryEpoch = changes.registryEpoch;
  }

  /** Definitions or runners changed, here or elsewhere. */
  async #lookAround(): Promise<void> {
    await this.#http.refresh();
    await this.#gateway.reconcile();
  }

  #sweepMs(): number {
    const { invokeTimeoutMs, runnerHeartbeatMs, runnerLivenessMs } = this.#engine.settings;
    const shortest = Math.min(invokeTimeoutMs, runnerHeartbeatMs, runnerLivenessMs, this.#options.helloTimeoutMs);
    return this.#options.sweepMs ?? Math.min(1_000, Math.max(20, shortest / 4));
  }
}

const graceMs = 400;
const refreshMs = 500;
/** The interval for changes without a hint, such as the death of a dispatcher with runners. */
const reconcileMs = 300_000;
