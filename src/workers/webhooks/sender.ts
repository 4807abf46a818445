/**
 * The sender of a process: attempts webhook deliveries. Many processes may each run one.
 *
 * Owns: the sender's identity and heartbeat, looks and claims, start and stop. Does not own:
 * requests and their outcomes, which are `Requests`'.
 *
 * Invariants:
 * W1. A sender with leases renews its heartbeat. If others find it dead, it abandons its id and
 *     everything leased to it.
 * W2. Work on leases happens alone: one claim, or one settlement with further leases, at a time. So
 *     `releaseStrays` finds only leases whose answer was lost.
 * W3. While nothing is due and no sender has leases, the sender asks nothing but its polls.
 * W4. `stop` claims nothing more, releases what is unsent at once, and waits a while for requests
 *     under way. It abandons the others: they are repeated elsewhere, without a record of this try.
 */
import type { EngineContext } from '../../engine/context.ts';
import { newId } from '../../engine/ids.ts';
import { readEndpointSecrets } from '../../engine/webhooks/config/index.ts';
import {
  claimDeliveries,
  disableIfFailing,
  firstLane,
  type LeasedDelivery,
  releaseLeases,
  releaseStrays,
  rescueDeliveries,
  retireSender,
  tickSender,
  Vigil,
  viewQueue,
} from '../../engine/webhooks/queue/index.ts';
import { Loop } from '../loop.ts';
import { within } from '../within.ts';
import { EndpointProjects, listenForDue } from './hints.ts';
import { WebhookClient } from './http/webhookClient.ts';
import { Leases } from './leases.ts';
import { defaultOptions, type SenderOptions } from './options.ts';
import { Requests } from './requests.ts';
import { SigningSecrets } from './signingSecrets.ts';

export interface SenderSetup {
  engine: EngineContext;
  /** Options that are left out have defaults. */
  options?: Partial<SenderOptions>;
}

/** Attempts outbound webhook deliveries. */
export class WebhookSender {
  readonly #engine: EngineContext;
  readonly #options: SenderOptions;
  readonly #client: WebhookClient;
  readonly #secrets: SigningSecrets;
  readonly #leases: Leases;
  readonly #requests: Requests;
  readonly #projects = new EndpointProjects();
  readonly #vigil = new Vigil();
  readonly #turns: Loop;
  readonly #beats: Loop;
  readonly #rescues: Loop;
  #id = newId();
  #after = firstLane;
  /** The end, on the monotonic clock, of the time in which no other ends these leases. */
  #leasedUntilMs = Number.NEGATIVE_INFINITY;
  #isBeating = false;
  #mayRescue = false;
  /** A claim had no room left. */
  #lacksRoom = false;
  #isSuspect = false;
  /** W2. The work on leases in progress. */
  #work: Promise<unknown> = Promise.resolve();
  #idlers: (() => void)[] = [];
  #unlisten: (() => void)[] = [];
  #stopping: Promise<void> | undefined;

  constructor({ engine, options }: SenderSetup) {
    this.#engine = engine;
    this.#options = { ...defaultOptions, ...options };
    const { allowPrivateTargets: allowPrivate, webhookTimeoutMs: timeoutMs, limits } = engine.settings;
    this.#client = new WebhookClient({ rules: { allowPrivate }, timeoutMs });
    this.#secrets = new SigningSecrets((scope) => readEndpointSecrets(engine, scope));
    this.#leases = new Leases({ ...this.#options, ceiling: limits.webhookEndpointConcurrency });
    const { log } = engine;
    this.#turns = new Loop({ name: 'deliveries', everyMs: this.#options.pollMs, turn: () => this.#turn(), log });
    this.#beats = new Loop({ name: 'webhook heartbeat', turn: () => this.#beat(), log });
    this.#rescues = new Loop({ name: 'webhook rescue', turn: () => this.#rescue(), log });
    this.#requests = new Requests({
      engine,
      options: this.#options,
      leases: this.#leases,
      client: this.#client,
      secrets: this.#secrets,
      host: {
        senderId: () => this.#id,
        surelyLeases: () => this.#surelyLeases(),
        alone: (work) => this.#alone(work),
        release: (deliveries) => void this.#release(deliveries),
        dueIn: (ms) => this.#turns.nudge(Math.ceil(ms)),
        settled: () => this.#settled(),
        suspect: () => this.#suspect(),
      },
    });
    this.#beats.start();
    this.#rescues.start();
  }

  start(): void {
    const { bus } = this.#engine;
    this.#unlisten = [
      listenForDue(bus, this.#projects, () => this.#turns.nudge()),
      bus.on('registry.changed', () => {
        this.#secrets.clear();
        this.#projects.outdate();
        this.#turns.nudge(refreshMs);
      }),
    ];
    this.#turns.start();
  }

  /** W4. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Attempts everything that is due, and resolves when it is settled. For tests. */
  async runOnce(): Promise<void> {
    await this.#turn();
    await this.idle();
  }

  /** Resolves when no lease is held. */
  async idle(): Promise<void> {
    if (this.#leases.size > 0) await new Promise<void>((resolve) => this.#idlers.push(resolve));
  }

  stats(): { leases: number; requests: number; bodyBytes: number } {
    return { leases: this.#leases.size, requests: this.#leases.running, bodyBytes: this.#requests.bytes };
  }

  async #stop(): Promise<void> {
    for (const unlisten of this.#unlisten) unlisten();
    this.#requests.drain();
    await this.#turns.stop();
    await within(this.#options.drainMs, this.idle());
    await within(graceMs, Promise.all([this.#requests, this.#beats, this.#rescues].map((part) => part.stop())));
    await within(graceMs, this.#retire());
    await within(graceMs, this.#client.close());
  }

  async #retire(): Promise<void> {
    try {
      await retireSender(this.#engine, this.#id);
    } catch (error) {
      this.#engine.log.warn({ err: error }, 'retiring the webhook sender failed: others will find it dead');
    }
  }

  /** Looks whether deliveries are due, and claims them. */
  async #turn(): Promise<void> {
    if (this.#isSuspect) await this.#freeStrays();
    const listsProjects = this.#projects.isStale;
    const update = this.#projects.read();
    const view = await viewQueue(this.#engine, { senderId: this.#id, listsProjects });
    if (listsProjects) update(view.projectIds);
    if (view.nextInMs !== undefined) this.#turns.nudge(Math.ceil(view.nextInMs));
    if (view.hasOthers) {
      // They may die, and plan attempts.
      this.#turns.nudge(this.#options.beatMs);
      this.#beatSoon(0);
    }
    for (const endpoint of view.failing) await disableIfFailing(this.#engine, endpoint);
    if (view.isDue) await this.#claimAll();
  }

  /** Claims until nothing more is due, or there is no more room. */
  async #claimAll(): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      const room = this.#leases.room;
      this.#lacksRoom = room < 1;
      if (this.#lacksRoom || this.#stopping) return;
      const before = this.#after;
      const { deliveries, hasMore, isContended, isAlive } = await this.#alone(() => this.#claim(room));
      if (!isAlive) this.#lost();
      if (isContended) this.#turns.nudge(contendedMs);
      const hasWrapped = this.#after <= before;
      if (!hasMore || (isContended && deliveries === 0) || (deliveries === 0 && hasWrapped && !isFirst)) return;
    }
  }

  async #claim(room: number) {
    const senderId = this.#id;
    const registers = this.#leases.size === 0;
    const sentMs = performance.now();
    try {
      const except = this.#leases.leaveOut();
      const question = { senderId, registers, room, after: this.#after, except, ahead: 0 };
      const { lanes, nextAfter, ...claim } = await claimDeliveries(this.#engine, question);
      this.#after = nextAfter;
      const deliveries = lanes.reduce((sum, lane) => sum + lane.deliveries.length, 0);
      if (senderId === this.#id && deliveries > 0) {
        if (registers) this.#leasedUntilMs = sentMs + this.#options.silenceMs;
        this.#requests.take(lanes);
        this.#beatSoon(this.#options.beatMs);
      }
      return { deliveries, ...claim };
    } catch (error) {
      this.#isSuspect = true;
      throw error;
    }
  }

  /** W1 */
  async #beat(): Promise<void> {
    const senderId = this.#id;
    const beats = this.#leases.size > 0;
    const sentMs = performance.now();
    const tick = await tickSender(this.#engine, { senderId, beats, vigil: this.#vigil });
    this.#mayRescue = tick.mayRescue;
    if (tick.mayRescue) this.#rescues.nudge();
    if (beats && senderId === this.#id) {
      if (tick.isAlive) this.#renewed(sentMs);
      else this.#lost();
    }
    this.#isBeating = this.#leases.size > 0 || tick.hasOthers || tick.hasSilent;
    const { beatMs } = this.#options;
    if (this.#isBeating) this.#beats.nudge(tick.hasOthers ? Math.min(watchMs, beatMs) : beatMs);
  }

  /**
   * Not part of the heartbeat, because it may wait for locks. After a failure, a new look decides.
   */
  async #rescue(): Promise<void> {
    if (!this.#mayRescue) return;
    this.#mayRescue = false;
    await rescueDeliveries(this.#engine, this.#id);
  }

  #renewed(sentMs: number): void {
    this.#leasedUntilMs = Math.max(this.#leasedUntilMs, sentMs + this.#options.silenceMs);
    this.#requests.begin();
  }

  /** W1. Outcomes of requests under way would change nothing. */
  #lost(): void {
    this.#engine.log.warn({ senderId: this.#id }, 'webhook sender found dead by others: registering again');
    this.#id = newId();
    this.#requests.forget();
    this.#settled();
    this.#turns.nudge();
  }

  #surelyLeases(): boolean {
    if (performance.now() < this.#leasedUntilMs) return true;
    if (this.#leases.size > 0) this.#beats.nudge();
    return false;
  }

  #beatSoon(inMs: number): void {
    if (this.#isBeating) return;
    this.#isBeating = true;
    this.#beats.nudge(inMs);
  }

  async #release(deliveries: readonly LeasedDelivery[]): Promise<void> {
    const leases = deliveries.filter((delivery) => this.#leases.has(delivery));
    for (const delivery of leases) this.#leases.drop(delivery);
    try {
      await this.#alone(() => releaseLeases(this.#engine, { senderId: this.#id, leases }));
    } catch (error) {
      this.#engine.log.warn({ err: error }, 'releasing deliveries failed: retrying later');
      this.#suspect();
    }
    this.#settled();
  }

  #settled(): void {
    if (this.#leases.size === 0) for (const resolve of this.#idlers.splice(0)) resolve();
    if (this.#lacksRoom && this.#leases.room > 0) this.#turns.nudge();
  }

  #suspect(): void {
    this.#isSuspect = true;
    this.#turns.nudge(suspectMs);
  }

  async #freeStrays(): Promise<void> {
    await this.#alone(async () => {
      const freed = await releaseStrays(this.#engine, { senderId: this.#id, known: this.#leases.held });
      this.#isSuspect = false;
      if (freed > 0) this.#engine.log.info({ deliveries: freed }, 'freed deliveries whose claim was not answered');
    });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }
}

const graceMs = 1_000;
/** A change of endpoints is noticed after this time at the latest, by one look for many changes. */
const refreshMs = 200;
/** Another sender has locked the lanes with due deliveries, for as long as a claim lasts. */
const contendedMs = 20;
const suspectMs = 200;
/** The interval of looks at other senders with leases, so that a death is noticed at once. */
const watchMs = 1_000;
