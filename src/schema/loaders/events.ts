import DataLoader from 'dataloader';
import type { EngineContext } from '../../engine/context.ts';
import {
  type EventData,
  type EventRow,
  selectEventData,
  selectEventHeads,
  selectEventRows,
  toEventRow,
} from '../../engine/events/index.ts';
import { anySize } from '../../engine/paging/index.ts';
import { perEngine } from '../../engine/perEngine.ts';
import type { AnswerMeter } from './answerMeter.ts';
import { groupBy, loadById } from './batch.ts';
import { HeadLoader } from './payloadHeads.ts';
import { byIds, PayloadLoader } from './payloadLoader.ts';

export interface EventLoaders {
  event: DataLoader<string, EventRow | undefined>;
  eventData: PayloadLoader<string, 'data', EventData, string | null>;
  eventHead: HeadLoader<{ id: string }, 'data'>;
}

export const createEventLoaders = ({ db }: EngineContext, projectId: string, meter: AnswerMeter): EventLoaders => ({
  event: loadById(async (ids) => {
    return new Map((await selectEventRows(db, { projectId, ids })).map((row) => [row.id, toEventRow(row)]));
  }),
  eventData: new PayloadLoader(
    meter,
    byIds(['data'], (ids, _wanted, maxBytes) => selectEventData(db, { projectId, ids, maxBytes })),
  ),
  eventHead: new HeadLoader(
    meter,
    ({ id }) => id,
    (wanted) => selectEventHeads(db, { projectId, wanted }),
  ),
});

interface TailedKey {
  projectId: string;
  id: string;
}

export interface TailedEvent {
  row: EventRow;
  data: string | null;
}

/** Loads the events of one tick together, and forgets them. */
const loaderOf = perEngine((engine) => {
  const load = (keys: readonly TailedKey[]): Promise<(TailedEvent | Error)[]> => readAll(engine, keys);
  return new DataLoader(load, { cache: false, maxBatchSize: 10_000 });
});

/**
 * Loads an event that was just announced, once for all streams that wait for it, because they ask
 * in the same tick. Throws if the event does not exist.
 */
export function loadTailedEvent(engine: EngineContext, projectId: string, id: string): Promise<TailedEvent> {
  return loaderOf(engine).load({ projectId, id });
}

async function readAll({ db }: EngineContext, keys: readonly TailedKey[]): Promise<(TailedEvent | Error)[]> {
  const found = new Map<string, TailedEvent>();
  for (const [projectId, group] of groupBy(keys, (key) => key.projectId)) {
    const ids = [...new Set(group.map((key) => key.id))];
    const [rows, payloads] = await Promise.all([
      selectEventRows(db, { projectId, ids }),
      selectEventData(db, { projectId, ids, maxBytes: anySize }),
    ]);
    const data = new Map(payloads.map((each) => [each.id, each.data]));
    for (const row of rows) found.set(row.id, { row: toEventRow(row), data: data.get(row.id) ?? null });
  }
  return keys.map(({ id }) => found.get(id) ?? new Error(`event ${id} was announced and is not there`));
}
