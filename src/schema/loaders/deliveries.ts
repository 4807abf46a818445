import type DataLoader from 'dataloader';
import type { EngineContext } from '../../engine/context.ts';
import {
  type AttemptRow,
  type DeliveryBody,
  type DeliveryRow,
  selectDeliveryAttempts,
  selectDeliveryBodies,
  selectDeliveryRows,
  selectRunDeliveries,
} from '../../engine/webhooks/deliveries/index.ts';
import type { AnswerMeter } from './answerMeter.ts';
import { groupBy, limitKey, loadById, loadEach, perArguments, type RelatedKey } from './batch.ts';
import { byIds, PayloadLoader, readPayloads } from './payloadLoader.ts';

/** A delivery, and the length of its log at most. */
export interface AttemptsKey {
  deliveryId: string;
  limit: number;
}

export interface DeliveryLoaders {
  delivery: DataLoader<string, DeliveryRow | undefined>;
  deliveryPayload: PayloadLoader<string, 'payload', DeliveryBody, string | null>;
  /** The delivery must be of this project. */
  deliveryAttempts: DataLoader<AttemptsKey, AttemptRow[] | undefined, string>;
  /** By run; the run must be of this project. */
  runDeliveries: DataLoader<RelatedKey, DeliveryRow[] | undefined, string>;
}

export const createDeliveryLoaders = (
  { db }: EngineContext,
  projectId: string,
  meter: AnswerMeter,
): DeliveryLoaders => ({
  delivery: loadById(
    async (ids) => new Map((await selectDeliveryRows(db, { projectId, ids })).map((row) => [row.id, row])),
  ),
  deliveryPayload: new PayloadLoader(
    meter,
    byIds(['payload'], (ids, _wanted, maxBytes) => selectDeliveryBodies(db, { projectId, ids, maxBytes })),
  ),
  deliveryAttempts: loadEach(
    async (keys) => {
      const lists = new Map<string, AttemptRow[]>();
      for (const [limit, group] of groupBy(keys, (key) => `${key.limit}`)) {
        const ids = group.map(({ deliveryId }) => deliveryId);
        const rows = await readPayloads(meter, (maxBytes) => selectDeliveryAttempts(db, { ids, limit, maxBytes }));
        for (const [id, attempts] of groupBy(rows, (row) => row.deliveryId)) lists.set(`${id} ${limit}`, attempts);
      }
      return lists;
    },
    ({ deliveryId, limit }) => `${deliveryId} ${limit}`,
  ),
  runDeliveries: perArguments(limitKey, async (runIds, { limit }) =>
    groupBy(await selectRunDeliveries(db, { projectId, runIds, limit }), (row) => row.runId),
  ),
});
