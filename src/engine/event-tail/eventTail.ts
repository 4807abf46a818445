import { Batcher } from '../batcher.ts';
import type { EngineContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { canonicalId, isId } from '../ids.ts';
import { perEngine } from '../perEngine.ts';
import { type Journal, JournalTail } from '../timeline/index.ts';
import { eventHub, pageEvents } from './eventHub.ts';
import { type IngestedEvent, listEventsAfter } from './sql/listEventsAfter.ts';
import { findEventSeq, readBeginnings } from './sql/readBeginnings.ts';

/** Whether an event was recorded after a stream began. */
export type IsNewEvent = (event: Pick<IngestedEvent, 'id' | 'seq'>) => boolean;

interface Beginning {
  /** The last number before the stream began. */
  seq: number;
  /** Events that were recorded before, but get their numbers later. */
  pending: readonly string[];
}

/** Streams that open at the same time share a statement. */
const beginningsOf = perEngine((ctx) => {
  const flush = async (projectIds: string[]): Promise<Beginning[]> => {
    const found = new Map((await readBeginnings(ctx.db, { projectIds })).map((row) => [row.projectId, row]));
    return projectIds.map((projectId) => found.get(projectId) ?? { seq: 0, pending: [] });
  };
  return new Batcher({ flush, maxItems: 1_000, maxInFlight: 2, maxQueued: 100_000 });
});

/**
 * A filter for events that are recorded from now on. An event is acknowledged before it gets its
 * number. So the filter also excludes recorded events without a number.
 */
export async function eventsFromNow(ctx: EngineContext, projectId: string): Promise<IsNewEvent> {
  return isNewSince(await beginningsOf(ctx).add(projectId));
}

function isNewSince({ seq, pending }: Beginning): IsNewEvent {
  const past = new Set(pending);
  return (event) => event.seq > seq && !past.has(event.id);
}

async function beginningAfter(ctx: EngineContext, projectId: string, id: string): Promise<Beginning> {
  const [found] = await findEventSeq(ctx.db, { projectId, id });
  // The event may not have a number yet.
  return { seq: found?.seq ?? 0, pending: [canonicalId(id)] };
}

type EventJournal = Journal<IngestedEvent>;

const journalOf = (ctx: EngineContext, projectId: string, isWanted: EventJournal['isWanted']): EventJournal => ({
  maxEntries: pageEvents,
  maxWeight: pageEvents,
  weigh: () => 1,
  isWanted,
  follow: (reader) => eventHub(ctx).follow(projectId, reader),
  async read(from) {
    const entries = await listEventsAfter(ctx.db, { watched: [{ projectId, seq: from }], limit: pageEvents });
    return { entries, isFull: entries.length === pageEvents };
  },
});

export interface EventTailQuery {
  projectId: string;
  app?: string | undefined;
  name?: string | undefined;
  /** The last event that the consumer has seen. Later events come first. Default: none. */
  afterId?: string | undefined;
}

/**
 * A project's events in order of delivery (4.3), each exactly once, whichever process records them.
 * A slow consumer holds at most a page. Event records are read from the event log. After the
 * promise resolves, no new event is missed. Throws `invalid` if `afterId` is no id.
 */
export async function tailEvents(
  ctx: EngineContext,
  { projectId, app, name, afterId }: EventTailQuery,
): Promise<AsyncIterableIterator<IngestedEvent>> {
  if (afterId !== undefined && !isId(afterId)) throw invalid('after must be the id of an event');
  const beginning = await (afterId === undefined
    ? beginningsOf(ctx).add(projectId)
    : beginningAfter(ctx, projectId, afterId));
  const isNewEvent = isNewSince(beginning);
  const journal = journalOf(ctx, projectId, (event) => {
    return isNewEvent(event) && (app === undefined || event.app === app) && (name === undefined || event.name === name);
  });
  return new JournalTail(journal, { from: beginning.seq });
}
