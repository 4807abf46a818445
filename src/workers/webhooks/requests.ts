/**
 * Sends leased deliveries.
 *
 * Owns: which request begins when, bodies in memory, outcomes until they are settled. Does not own:
 * claims and the heartbeat, which are the sender's.
 *
 * Invariants:
 * Q1. A request begins only while the sender surely holds its leases.
 * Q2. An outcome is kept until it is settled, or until its lease has ended.
 * Q3. A lease that is not used is released, and else stays until its outcome is settled.
 */
import type { EngineContext } from '../../engine/context.ts';
import { isTransient } from '../../engine/db/index.ts';
import {
  type ClaimedLane,
  disableIfFailing,
  type EndedAttempt,
  type LeasedDelivery,
  type Settlement,
  settleDeliveries,
  tallyOf,
} from '../../engine/webhooks/queue/index.ts';
import { Loop } from '../loop.ts';
import { skipped, toEnded, unsent } from './attempt.ts';
import { Bodies } from './bodies.ts';
import { composeRequest } from './composeRequest.ts';
import type { WebhookClient } from './http/webhookClient.ts';
import type { Leases, ReadyDelivery } from './leases.ts';
import type { SenderOptions } from './options.ts';
import type { SigningSecrets } from './signingSecrets.ts';

/** What the requests need of their sender. */
export interface RequestsHost {
  senderId(): string;
  /** Q1. Otherwise the sender renews its heartbeat, and then calls `begin`. */
  surelyLeases(): boolean;
  /** Runs work on leases by itself: claims, and outcomes with further leases. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Leases that are not to be used. */
  release(deliveries: readonly LeasedDelivery[]): void;
  /** Work may be due in this many ms. */
  dueIn(ms: number): void;
  /** Leases have ended. */
  settled(): void;
  /** An answer was lost, so there may be leases that this process does not know. */
  suspect(): void;
}

export interface RequestsSetup {
  engine: EngineContext;
  options: SenderOptions;
  leases: Leases;
  client: WebhookClient;
  secrets: SigningSecrets;
  host: RequestsHost;
}

const settledAtOnce = 500;
/** Deliveries leased ahead of an endpoint, for each that ended since the last settlement. */
const aheadPerSettled = 4;
/** The share of leases that endpoints with a backlog leave to the claims for others. */
const reserved = 1 / 8;
/** The delay of the next claim for endpoints that fail, so that one claim serves many of them. */
const failingMs = 50;
const unreadable = 'the signing secret of the endpoint cannot be opened: rotate it';

export class Requests {
  readonly #setup: RequestsSetup;
  readonly #bodies: Bodies;
  readonly #begins: Loop;
  readonly #settles: Loop;
  #ended: EndedAttempt[] = [];
  /** The bound of all requests, not that of a lane, keeps deliveries waiting. */
  #isCrowded = false;
  #isDraining = false;

  constructor(setup: RequestsSetup) {
    this.#setup = setup;
    const { engine, leases, options } = setup;
    this.#bodies = new Bodies({
      engine,
      maxBytes: options.bodyBytes,
      maxTotal: options.totalBodyBytes,
      isWanted: (delivery) => leases.has(delivery) && !this.#isDraining,
      onRead: (delivery, body) => this.#read(delivery, body),
      onTurn: () => this.begin(),
    });
    this.#begins = new Loop({ name: 'delivery requests', turn: () => this.begin(), log: engine.log });
    this.#settles = new Loop({
      name: 'delivery outcomes',
      turn: () => this.#settle(),
      restMs: options.settleRestMs,
      log: engine.log,
    });
    this.#begins.start();
    this.#settles.start();
  }

  /** Bytes of bodies in memory. */
  get bytes(): number {
    return this.#bodies.bytes;
  }

  /** Takes the leases of a claim. */
  take(lanes: readonly ClaimedLane[]): void {
    const deliveries = lanes.flatMap((lane) => lane.deliveries);
    this.#setup.leases.add(lanes);
    if (this.#isDraining) {
      this.#setup.host.release(deliveries);
      return;
    }
    for (const delivery of deliveries) if (delivery.skip) this.#end(skipped(delivery, delivery.skip));
    const wanted = deliveries.filter(({ skip }) => !skip);
    if (wanted.length > 0) this.#bodies.request(wanted);
  }

  /** Begins the requests that may begin now. Lanes take turns. */
  begin(): void {
    const { leases, host, options } = this.#setup;
    if (this.#isDraining || !host.surelyLeases()) return;
    let lanes = leases.waitingLanes;
    while (lanes.length > 0) lanes = lanes.filter((lane) => this.#beginIn(lane));
    this.#isCrowded = leases.isCrowded;
    if (this.#isCrowded && leases.waitingLanes.length > 0) this.#begins.nudge(options.slowMs / 4);
  }

  /** Begins no further request. Releases what is leased and not under way. */
  drain(): void {
    this.#isDraining = true;
    const { leases, host } = this.#setup;
    this.#free(leases.takeWaiting());
    const unsettled = new Set(this.#ended.map(({ delivery }) => delivery));
    host.release(leases.unsent.filter((delivery) => !unsettled.has(delivery)));
  }

  /** Forgets all leases and outcomes: the leases have ended. Requests under way end unheard. */
  forget(): void {
    const { leases } = this.#setup;
    this.#free(leases.takeWaiting());
    leases.clear();
    this.#ended = [];
  }

  async stop(): Promise<void> {
    await Promise.all([this.#begins.stop(), this.#bodies.stop(), this.#settles.stop()]);
  }

  #beginIn(lane: string): boolean {
    const ready = this.#setup.leases.take(lane);
    if (ready) void this.#send(ready);
    return ready !== undefined;
  }

  #read(delivery: LeasedDelivery, body: Buffer | undefined): void {
    if (body) this.#setup.leases.enqueue({ delivery, body });
    else this.#end(skipped(delivery, 'gone'));
  }

  async #send(ready: ReadyDelivery): Promise<void> {
    const { engine, leases, host, options } = this.#setup;
    const { delivery, body } = ready;
    tallyOf(engine).inFlight += 1;
    const slow = setTimeout(() => this.#bodies.slow(body), options.slowMs);
    let ended: EndedAttempt | undefined;
    try {
      ended = await this.#attempt(ready);
    } catch (error) {
      // The database was needed, and is away.
      engine.log.warn({ err: error, deliveryId: delivery.deliveryId }, 'a delivery could not be sent: releasing it');
    }
    tallyOf(engine).inFlight -= 1;
    clearTimeout(slow);
    this.#bodies.free(body);
    leases.ended(delivery, ended?.outcome === 'succeeded');
    if (ended) this.#end(ended);
    else host.release([delivery]);
    this.#releaseSurplus(delivery.lane);
    if (this.#isCrowded || leases.isCrowded) this.begin();
    else if (!this.#isDraining && host.surelyLeases()) this.#beginIn(delivery.lane);
  }

  /** Undefined: the lease may have ended while the secrets were read. */
  async #attempt({ delivery, body }: ReadyDelivery): Promise<EndedAttempt | undefined> {
    const { engine, client, secrets, leases, host } = this.#setup;
    const { projectId, endpointId, scheme } = delivery;
    const signing = endpointId === undefined ? [] : await secrets.get(projectId, endpointId);
    if (!leases.has(delivery) || !host.surelyLeases()) return undefined;
    if (scheme && signing.length === 0) return unsent(delivery, unreadable);
    const request = composeRequest({ delivery, body, secrets: signing, now: engine.clock.now() });
    const sentMs = performance.now();
    const ending = await client.send(request);
    const durationMs = Math.round(performance.now() - sentMs);
    return toEnded({ delivery, headers: request.headers, ending, durationMs, now: engine.clock.now() });
  }

  /** An endpoint that fails is probed, so what was leased ahead of it goes back. */
  #releaseSurplus(lane: string): void {
    const surplus = this.#setup.leases.takeSurplus(lane);
    this.#free(surplus);
    if (surplus.length > 0) this.#setup.host.release(surplus.map(({ delivery }) => delivery));
  }

  #free(ready: readonly ReadyDelivery[]): void {
    for (const { body } of ready) this.#bodies.free(body);
  }

  #end(attempt: EndedAttempt): void {
    this.#ended.push(attempt);
    this.#settles.nudge();
  }

  /** Q2. Settles what has ended. If it fails, the next turn repeats it. */
  async #settle(): Promise<void> {
    const { engine, host, leases } = this.#setup;
    this.#ended = this.#ended.filter(({ delivery }) => leases.has(delivery));
    const attempts = this.#ended.slice(0, settledAtOnce);
    if (attempts.length === 0) return;
    try {
      const { failing } = await host.alone(() => this.#settleSome(host.senderId(), attempts));
      for (const endpoint of failing) await disableIfFailing(engine, endpoint);
    } catch (error) {
      host.suspect();
      // The texts of the receiver may be the reason.
      if (!isTransient(error)) this.#ended = this.#ended.map(bare);
      throw error;
    }
    if (this.#ended.length > 0) this.#settles.nudge();
  }

  /** A claim that came first may have replaced a lease. */
  async #settleSome(senderId: string, ended: readonly EndedAttempt[]): Promise<Pick<Settlement, 'failing'>> {
    const { engine, host, leases, options } = this.#setup;
    const attempts = ended.filter(({ delivery }) => leases.has(delivery));
    if (attempts.length === 0) return { failing: [] };
    const lanes = new Set(attempts.map(({ delivery }) => delivery.lane));
    const hungry = this.#isDraining ? new Set<string>() : leases.hungryAmong(lanes);
    const most = engine.settings.limits.webhookEndpointConcurrency * options.aheadPerRequest;
    const ahead = Math.min(most, aheadPerSettled * mostOfOneLane(attempts));
    const room = leases.room + attempts.length - Math.ceil(options.leases * reserved);
    const settled = await settleDeliveries(engine, { senderId, attempts, hungry, room, ahead });
    const done = new Set(attempts);
    this.#ended = this.#ended.filter((each) => !done.has(each));
    if (host.senderId() !== senderId) return settled;
    const unclaimed = [...lanes].some((lane) => leases.hasMore(lane) && (room < 1 || !hungry.has(lane)));
    this.take(settled.claimed);
    for (const { delivery } of attempts) leases.drop(delivery);
    if (settled.nextInMs !== undefined) host.dueIn(settled.nextInMs);
    if (unclaimed) host.dueIn(failingMs);
    host.settled();
    return settled;
  }
}

function mostOfOneLane(attempts: readonly EndedAttempt[]): number {
  const counts = new Map<string, number>();
  for (const { delivery } of attempts) counts.set(delivery.lane, (counts.get(delivery.lane) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/** An outcome without the texts of the receiver. */
const bare = ({ responseSnippet: _, responseHeaders: __, ...attempt }: EndedAttempt): EndedAttempt => attempt;
