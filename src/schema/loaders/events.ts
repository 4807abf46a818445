import type DataLoader from 'dataloader';
import type { EngineContext } from '../../engine/context.ts';
import { type EventRow, selectEventData, selectEventRows, toEventRow } from '../../engine/events/index.ts';
import type { AnswerMeter } from './answerMeter.ts';
import { loadById } from './batch.ts';
import { readPayloads } from './readPayloads.ts';

export interface EventLoaders {
  event: DataLoader<string, EventRow | undefined>;
  eventData: DataLoader<string, string | null | undefined>;
}

export const createEventLoaders = ({ db }: EngineContext, projectId: string, meter: AnswerMeter): EventLoaders => ({
  event: loadById(async (ids) => {
    return new Map((await selectEventRows(db, { projectId, ids })).map((row) => [row.id, toEventRow(row)]));
  }),
  eventData: loadById(async (ids) => {
    const rows = await readPayloads(meter, (maxBytes) => selectEventData(db, { projectId, ids, maxBytes }));
    return new Map(rows.map((row) => [row.id, row.data]));
  }),
});
