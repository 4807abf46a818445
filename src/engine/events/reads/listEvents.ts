import type { EngineContext } from '../../context.ts';
import { plannedRead } from '../../longRead.ts';
import { Conditions, cursorParts, decodeCursor, encodeCursor, type Page, toPage } from '../../paging/index.ts';
import { type EventRow, eventColumns, type StoredEventRow, toEventRow } from './eventRow.ts';

export interface EventListQuery {
  projectId: string;
  app: string | null | undefined;
  name: string | null | undefined;
  /** A cursor from this list. */
  after: string | undefined;
  /** At least 1. */
  limit: number;
}

const order = 'events.newest';

/** A page of the event log, newest first (4.3). Throws `invalid` on a foreign cursor. */
export async function listEvents(ctx: EngineContext, query: EventListQuery): Promise<Page<EventRow>> {
  const where = new Conditions();
  where.add(`project_id = ${where.parameter(query.projectId)}::uuid`);
  where.equal('app', query.app);
  where.equal('name', query.name);
  if (query.after !== undefined) where.add(`id < ${where.parameter(readCursor(query.after))}::uuid`);
  const rows = where.impossible ? [] : await fetchRows(ctx, where, query.limit + 1);
  return toPage(rows, query.limit, (row) => encodeCursor(order, [row.id]));
}

/**
 * Ids grow with time, so they order the log. Rides `event (project_id, id)`, or the index that also
 * has the name. A plan for all values may read the events of all projects instead.
 */
async function fetchRows(ctx: EngineContext, where: Conditions, wanted: number): Promise<EventRow[]> {
  const text = `select ${eventColumns} from event where ${where.text}
    order by id desc limit ${where.parameter(wanted)}`;
  return (await plannedRead<StoredEventRow>(ctx, { text, values: where.values })).map(toEventRow);
}

const readCursor = (cursor: string): string => decodeCursor(order, cursor, [cursorParts.id])[0];
