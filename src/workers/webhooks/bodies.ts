import type { EngineContext } from '../../engine/context.ts';
import { selectDeliveryBodies } from '../../engine/webhooks/deliveries/index.ts';
import type { LeasedDelivery } from '../../engine/webhooks/queue/index.ts';
import { Loop } from '../loop.ts';

export interface BodiesOptions {
  engine: EngineContext;
  /** Bytes of bodies in memory, without those of slow requests. */
  maxBytes: number;
  /** The same, with those of slow requests. */
  maxTotal: number;
  /** Whether a delivery is still to be sent. */
  isWanted: (delivery: LeasedDelivery) => boolean;
  /** Takes a body, or undefined if there is none any more. */
  onRead: (delivery: LeasedDelivery, body: Buffer | undefined) => void;
  /** Called after some bodies were read. */
  onTurn: () => void;
}

/** How many bodies one statement reads. */
const atOnce = 64;

/**
 * Reads the bodies of leased deliveries, as many as the memory for them allows. Lanes take turns,
 * so large bodies of one do not delay the others.
 */
export class Bodies {
  readonly #options: BodiesOptions;
  readonly #loop: Loop;
  #queue: LeasedDelivery[] = [];
  #bytes = 0;
  /** The bodies of slow requests, which are among these bytes. */
  readonly #slow = new Set<Buffer>();
  #slowBytes = 0;

  constructor(options: BodiesOptions) {
    this.#options = options;
    this.#loop = new Loop({ name: 'delivery bodies', turn: () => this.#read(), log: options.engine.log });
    this.#loop.start();
  }

  /** Bytes in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  request(deliveries: readonly LeasedDelivery[]): void {
    this.#queue.push(...deliveries);
    this.#loop.nudge();
  }

  /** The request of a body is slow: it leaves room for the bodies of others. */
  slow(body: Buffer): void {
    this.#slow.add(body);
    this.#slowBytes += body.length;
    if (this.#queue.length > 0) this.#loop.nudge();
  }

  /** A body is not needed any more. */
  free(body: Buffer): void {
    this.#bytes -= body.length;
    if (this.#slow.delete(body)) this.#slowBytes -= body.length;
    if (this.#queue.length > 0) this.#loop.nudge();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  get #room(): number {
    const { maxBytes, maxTotal } = this.#options;
    return Math.min(maxBytes + this.#slowBytes, maxTotal) - this.#bytes;
  }

  async #read(): Promise<void> {
    const { engine, isWanted, onRead, onTurn } = this.#options;
    this.#queue = this.#queue.filter(isWanted);
    const batch = inTurns(this.#queue).slice(0, atOnce);
    if (batch.length === 0 || this.#room <= 0) return;
    const ids = batch.map(({ deliveryId }) => deliveryId);
    const rows = await selectDeliveryBodies(engine.db, { ids, maxBytes: this.#room });
    const byId = new Map(rows.map((row) => [row.id, row]));
    const unread = batch.filter(({ deliveryId }) => byId.get(deliveryId)?.isRead === false);
    // A body that is too large for an empty memory is read by itself.
    const large = unread.length === batch.length && this.#bytes === this.#slowBytes ? unread.slice(0, 1) : [];
    for (const row of large.length > 0
      ? await selectDeliveryBodies(engine.db, { ids: [large[0]?.deliveryId ?? ''] })
      : [])
      byId.set(row.id, row);
    const later = new Set(unread.filter((delivery) => !large.includes(delivery)));
    const read = new Set(batch.filter((delivery) => !later.has(delivery)));
    const served = new Set([...read].map(({ lane }) => lane));
    const left = this.#queue.filter((delivery) => !read.has(delivery));
    this.#queue = [...left.filter(({ lane }) => !served.has(lane)), ...left.filter(({ lane }) => served.has(lane))];
    for (const delivery of read) {
      const payload = byId.get(delivery.deliveryId)?.payload ?? undefined;
      const body = payload === undefined ? undefined : Buffer.from(payload, 'utf8');
      if (!isWanted(delivery)) continue;
      this.#bytes += body?.length ?? 0;
      onRead(delivery, body);
    }
    onTurn();
    if (read.size > 0 && this.#queue.length > 0) this.#loop.nudge();
  }
}

/** The first delivery of each lane, then the second of each, and so on. */
function inTurns(deliveries: readonly LeasedDelivery[]): LeasedDelivery[] {
  const counts = new Map<string, number>();
  const rounds: LeasedDelivery[][] = [];
  for (const delivery of deliveries) {
    const round = counts.get(delivery.lane) ?? 0;
    counts.set(delivery.lane, round + 1);
    const others = rounds[round];
    if (others) others.push(delivery);
    else rounds.push([delivery]);
  }
  return rounds.flat();
}
