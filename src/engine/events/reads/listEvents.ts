import type { EngineContext } from '../../context.ts';
import { isId, lowestIdAt } from '../../ids.ts';
import { longRead, plannedRead } from '../../longRead.ts';
import { Conditions, cursorParts, decodeCursor, encodeCursor, type Page, toPage } from '../../paging/index.ts';
import { parseTags, type TagFilter } from '../../runs/index.ts';
import { type EventRow, eventColumns, type StoredEventRow, toEventRow } from './eventRow.ts';

/** The filters of the event log. All that are given must hold. */
export interface EventFilter {
  app?: string | null | undefined;
  name?: string | null | undefined;
  source?: EventRow['source'] | null | undefined;
  /** The run that emitted the event. */
  sourceRunId?: string | null | undefined;
  session?: string | null | undefined;
  tags?: readonly TagFilter[] | null | undefined;
  /** Only events that came at or after it. */
  since?: Date | null | undefined;
  /** Only events that came before it. */
  until?: Date | null | undefined;
  /** Only events that matched no trigger and woke no run. */
  unmatchedOnly?: boolean | null | undefined;
}

export interface EventListQuery extends EventFilter {
  projectId: string;
  /** A cursor from this list. */
  after: string | undefined;
  /** At least 1. */
  limit: number;
}

const order = 'events.newest';

/**
 * Ids are dated by the clock of the process that makes them, and `received_at` by the database's.
 * A range of ids is wider than its range of time by this much.
 */
export const clockToleranceMs = 3_600_000;

/** A page of the event log, newest first (4.3). Throws `invalid` on a foreign cursor. */
export async function listEvents(ctx: EngineContext, query: EventListQuery): Promise<Page<EventRow>> {
  const where = new Conditions();
  where.add(`project_id = ${where.parameter(query.projectId)}::uuid`);
  where.equal('app', query.app);
  where.equal('name', query.name);
  addTimes(where, query);
  const isSearch = addSearch(where, query);
  if (query.after !== undefined) where.add(`id < ${where.parameter(readCursor(query.after))}::uuid`);
  const rows = where.impossible ? [] : await fetchRows(ctx, where, { wanted: query.limit + 1, isSearch });
  return toPage(rows, query.limit, (row) => encodeCursor(order, [row.id]));
}

/** Ids grow with time, so a window of time is a part of the index. */
function addTimes(where: Conditions, { since, until }: EventFilter): void {
  if (since) {
    where.add(`received_at >= ${where.parameter(since)}::timestamptz`);
    where.add(`id >= ${idAt(where, since.getTime() - clockToleranceMs)}`);
  }
  if (until) {
    where.add(`received_at < ${where.parameter(until)}::timestamptz`);
    where.add(`id < ${idAt(where, until.getTime() + clockToleranceMs)}`);
  }
}

const idAt = (where: Conditions, ms: number): string => `${where.parameter(lowestIdAt(new Date(ms)))}::uuid`;

/** Adds the filters that no index has. Answers whether there are any. */
function addSearch(where: Conditions, { source, sourceRunId, session, tags, unmatchedOnly }: EventFilter): boolean {
  where.equal('source', source);
  if (isGiven(sourceRunId)) {
    if (isId(sourceRunId)) where.add(`source_run_id = ${where.parameter(sourceRunId)}::uuid`);
    else where.excludeAll();
  }
  where.equal('session', session);
  const wanted = tags?.length ? parseTags(Object.fromEntries(tags.map(({ key, value }) => [key, value]))) : undefined;
  // An event has one value per key, so none meets two demands on one key.
  if (tags?.some(({ key, value }) => wanted?.[key] !== value)) where.excludeAll();
  if (wanted) where.add(`tags @> ${where.parameter(JSON.stringify(wanted))}::jsonb`);
  if (unmatchedOnly) where.add(`json_array_length(triggered) = 0 and woke = 0`);
  return [source, sourceRunId, session, wanted, unmatchedOnly || undefined].some(isGiven);
}

const isGiven = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;

/**
 * Ids grow with time, so they order the log. Rides `event (project_id, id)`, or the index that also
 * has the name. A plan for all values may read the events of all projects instead. A search may
 * walk the whole log, so it waits for its turn.
 */
async function fetchRows(
  ctx: EngineContext,
  where: Conditions,
  { wanted, isSearch }: { wanted: number; isSearch: boolean },
): Promise<EventRow[]> {
  const read = isSearch ? longRead : plannedRead;
  const text = `select ${eventColumns} from event where ${where.text}
    order by id desc limit ${where.parameter(wanted)}`;
  return (await read<StoredEventRow>(ctx, { text, values: where.values })).map(toEventRow);
}

const readCursor = (cursor: string): string => decodeCursor(order, cursor, [cursorParts.id])[0];
