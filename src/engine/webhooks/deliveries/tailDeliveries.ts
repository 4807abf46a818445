import { BoundedCache } from '../../boundedCache.ts';
import type { BusEvents } from '../../bus.ts';
import type { EngineContext } from '../../context.ts';
import { perEngine } from '../../perEngine.ts';
import { burst, Mailbox } from '../../timeline/index.ts';
import { findDeliveryEndpoint } from './sql/findDeliveryEndpoint.ts';

/** A change of a delivery: the same object for all consumers. */
export type DeliveryChange = Readonly<BusEvents['delivery.changed']>;

export interface DeliveryTailQuery {
  projectId: string;
  /** Only deliveries to this endpoint. */
  endpointId?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * A project's deliveries that are attempted, or made due again, from now on. A change may be
 * missed, so consumers must also read the list. A consumer that falls 10,000 changes behind is
 * disconnected.
 */
export function tailDeliveries(
  ctx: EngineContext,
  { projectId, endpointId, signal }: DeliveryTailQuery,
): AsyncIterableIterator<DeliveryChange> {
  const leave = ctx.bus.on('delivery.changed', (changed) => {
    if (changed.projectId === projectId) mailbox.offer(changed);
  });
  const mailbox = new Mailbox<DeliveryChange>({ capacity: burst, signal, onClose: leave });
  if (endpointId === undefined) return mailbox;
  return new ChangesOfEndpoint(mailbox, async (change) => (await endpointOf(ctx, change)) === endpointId);
}

const remembered = 10_000;
const endpointCache = perEngine((engine) => ({
  engine,
  known: new BoundedCache<string, Promise<string | null | undefined>>(remembered),
}));

/**
 * The endpoint of a changed delivery: one look-up for all consumers and all its changes. Undefined
 * if there is no such delivery; only an answer is remembered.
 */
async function endpointOf(
  ctx: EngineContext,
  { projectId, deliveryId: id }: DeliveryChange,
): Promise<string | null | undefined> {
  const { engine, known } = endpointCache(ctx);
  const found = known.get(id) ?? findDeliveryEndpoint(engine.db, { projectId, id }).then(([row]) => row?.endpointId);
  known.set(id, found);
  let endpointId: string | null | undefined;
  try {
    endpointId = await found;
    return endpointId;
  } finally {
    if (endpointId === undefined) known.delete(id);
  }
}

/** Passes on the wanted changes. No generator, because leaving must also end a wait. */
class ChangesOfEndpoint implements AsyncIterableIterator<DeliveryChange> {
  readonly #changes: Mailbox<DeliveryChange>;
  readonly #isWanted: (change: DeliveryChange) => Promise<boolean>;

  constructor(changes: Mailbox<DeliveryChange>, isWanted: (change: DeliveryChange) => Promise<boolean>) {
    this.#changes = changes;
    this.#isWanted = isWanted;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<DeliveryChange, undefined>> {
    for (;;) {
      const result = await this.#changes.next();
      if (result.done || (await this.#isWanted(result.value))) return result;
    }
  }

  return(): Promise<IteratorResult<DeliveryChange, undefined>> {
    return this.#changes.return();
  }
}
