import type DataLoader from 'dataloader';
import type { EngineContext } from '../../engine/context.ts';
import {
  type MessagePart,
  messageParts,
  readStoredMessages,
  type SourceAttemptRow,
  type SourceDeliveryRow,
  type StoredMessage,
  selectSourceAttempts,
  selectSourceDeliveries,
} from '../../engine/webhooks/inbound/index.ts';
import type { AnswerMeter } from './answerMeter.ts';
import { groupBy, loadById } from './batch.ts';
import { byIds, PayloadLoader } from './payloadLoader.ts';

export interface SourceDeliveryLoaders {
  sourceDelivery: DataLoader<string, SourceDeliveryRow | undefined>;
  sourceMessage: PayloadLoader<string, MessagePart, StoredMessage, string | null>;
  /** By delivery; the delivery must be of this project. */
  sourceAttempts: DataLoader<string, SourceAttemptRow[] | undefined>;
}

export const createSourceDeliveryLoaders = (
  { db }: EngineContext,
  projectId: string,
  meter: AnswerMeter,
): SourceDeliveryLoaders => ({
  sourceDelivery: loadById(
    async (ids) => new Map((await selectSourceDeliveries(db, { projectId, ids })).map((row) => [row.id, row])),
  ),
  sourceMessage: new PayloadLoader(
    meter,
    byIds(messageParts, (ids, wanted, maxBytes) => readStoredMessages({ db }, { projectId, ids, wanted, maxBytes })),
  ),
  sourceAttempts: loadById(async (deliveryIds) =>
    groupBy(await selectSourceAttempts(db, { deliveryIds }), (row) => row.deliveryId),
  ),
});
