import { type ClaimedLane, type LeasedDelivery, probeAfter } from '../../engine/webhooks/queue/index.ts';

/** A leased delivery with its body. */
export interface ReadyDelivery {
  delivery: LeasedDelivery;
  body: Buffer;
}

export interface LeaseLimits {
  /** Requests to one endpoint at once. */
  ceiling: number;
  /** Requests at once that have not taken `slowMs` yet. */
  requests: number;
  /** Requests and waiting deliveries at once, without slow requests. */
  leases: number;
  /** The same, with slow requests. */
  total: number;
  /** A request that takes longer is slow. It occupies little but its connection. */
  slowMs: number;
}

interface Lane {
  /** Failures in a row. */
  failures: number;
  /** Whether more may be due. */
  hasMore: boolean;
  /** Whether the last attempt succeeded. */
  isWell: boolean;
  leases: number;
  running: number;
  waiting: ReadyDelivery[];
}

/**
 * The leases of this process: deliveries that wait for their turn, and those whose requests run.
 *
 * Slow requests do not count against the limit of requests, so endpoints that hang leave room for
 * others. When even they are many, no more is leased of lanes with a slow request.
 */
export class Leases {
  readonly #limits: LeaseLimits;
  readonly #lanes = new Map<string, Lane>();
  /** Deliveries with a lease, in the order of their leases. */
  readonly #held = new Map<string, LeasedDelivery>();
  /** When requests began, on the monotonic clock, the oldest first. */
  readonly #running = new Map<LeasedDelivery, number>();

  constructor(limits: LeaseLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#held.size;
  }

  get running(): number {
    return this.#running.size;
  }

  /** All deliveries with a lease. */
  get held(): LeasedDelivery[] {
    return [...this.#held.values()];
  }

  /** How many further deliveries may be leased. */
  get room(): number {
    const { leases, total } = this.#limits;
    return Math.min(leases + this.#slow().length, total) - this.size;
  }

  /** Lanes of which no more is to be leased now. The claim leaves them out, so more may be due. */
  leaveOut(): string[] {
    const { leases } = this.#limits;
    const slow = this.#slow();
    const hanging = new Set(slow.length > leases ? slow : []);
    const out = [...this.#lanes].filter(([id, lane]) => lane.leases >= this.#permits(lane) || hanging.has(id));
    for (const [, lane] of out) lane.hasMore = true;
    return out.map(([id]) => id);
  }

  /** Of these lanes, those with more due deliveries whose last attempt succeeded. */
  hungryAmong(ids: ReadonlySet<string>): Set<string> {
    return new Set(
      [...ids].filter((id) => {
        const lane = this.#lanes.get(id);
        return lane?.hasMore && lane.isWell;
      }),
    );
  }

  /**
   * Adds the leases of a claim. One may replace a former lease of its delivery, which has ended
   * without an answer.
   */
  add(claimed: readonly ClaimedLane[]): void {
    for (const { lane: id, failures, hasMore, deliveries } of claimed) {
      if (deliveries.length === 0 && !this.#lanes.has(id)) continue;
      const lane = this.#lane(id);
      lane.failures = failures;
      lane.hasMore = hasMore;
      for (const delivery of deliveries) {
        if (!this.#held.has(delivery.deliveryId)) lane.leases += 1;
        this.#held.set(delivery.deliveryId, delivery);
      }
    }
  }

  /** Adds a delivery with a lease, which can be sent. */
  enqueue(ready: ReadyDelivery): void {
    this.#lane(ready.delivery.lane).waiting.push(ready);
  }

  /** Takes a delivery of this lane whose request may begin now. */
  take(id: string): ReadyDelivery | undefined {
    const lane = this.#lanes.get(id);
    if (!lane || lane.running >= this.#permits(lane)) return undefined;
    if (this.isCrowded) return undefined;
    const ready = lane.waiting.shift();
    if (!ready) return undefined;
    lane.running += 1;
    this.#running.set(ready.delivery, performance.now());
    return ready;
  }

  /** Lanes with deliveries that wait. */
  get waitingLanes(): string[] {
    return [...this.#lanes].filter(([, lane]) => lane.waiting.length > 0).map(([id]) => id);
  }

  /** The request has ended. The lease is held until its outcome is settled. */
  ended(delivery: LeasedDelivery, hasSucceeded: boolean): void {
    if (!this.#running.delete(delivery)) return;
    const lane = this.#lane(delivery.lane);
    lane.running -= 1;
    lane.isWell = hasSucceeded;
    lane.failures = hasSucceeded ? 0 : lane.failures + 1;
  }

  /** Takes what waits in lanes that are to be probed by a single request. */
  takeSurplus(id: string): ReadyDelivery[] {
    const lane = this.#lanes.get(id);
    if (!lane || lane.failures < probeAfter) return [];
    return lane.waiting.splice(Math.max(0, 1 - lane.running));
  }

  /** Takes all deliveries that wait. */
  takeWaiting(): ReadyDelivery[] {
    return [...this.#lanes.values()].flatMap((lane) => lane.waiting.splice(0));
  }

  /** All deliveries whose request has not begun. */
  get unsent(): LeasedDelivery[] {
    return this.held.filter((delivery) => !this.#running.has(delivery));
  }

  /** Whether this lease is held. */
  has(delivery: LeasedDelivery): boolean {
    return this.#held.get(delivery.deliveryId) === delivery;
  }

  /** Whether more of this lane may be due. */
  hasMore(id: string): boolean {
    return this.#lanes.get(id)?.hasMore ?? false;
  }

  /** The lease has ended. */
  drop(delivery: LeasedDelivery): void {
    if (!this.has(delivery)) return;
    this.#held.delete(delivery.deliveryId);
    const { lane: id } = delivery;
    const lane = this.#lane(id);
    lane.leases -= 1;
    if (lane.leases === 0) this.#lanes.delete(id);
  }

  /** Forgets all leases: others have ended them. */
  clear(): void {
    this.#held.clear();
    this.#running.clear();
    this.#lanes.clear();
  }

  /** Whether the bound of all requests is reached. */
  get isCrowded(): boolean {
    return this.#running.size - this.#slow().length >= this.#limits.requests;
  }

  #permits({ failures }: Lane): number {
    return failures >= probeAfter ? 1 : this.#limits.ceiling;
  }

  /** The lanes of slow requests. */
  #slow(): string[] {
    const before = performance.now() - this.#limits.slowMs;
    const lanes: string[] = [];
    for (const [{ lane }, sinceMs] of this.#running) {
      if (sinceMs > before) break;
      lanes.push(lane);
    }
    return lanes;
  }

  #lane(id: string): Lane {
    const known = this.#lanes.get(id);
    if (known) return known;
    const lane: Lane = { failures: 0, hasMore: false, isWell: true, leases: 0, running: 0, waiting: [] };
    this.#lanes.set(id, lane);
    return lane;
  }
}
