import type { EngineContext } from '../../../context.ts';
import { isId } from '../../../ids.ts';
import { plannedRead } from '../../../longRead.ts';
import { Conditions, cursorParts, decodeCursor, encodeCursor, type Page, toPage } from '../../../paging/index.ts';
import { type SourceDeliveryStatus, sourceDeliveryStatuses } from '../admissionStatus.ts';
import { type SourceDeliveryRow, sourceDeliveryColumns } from './sourceDeliveryRow.ts';

export interface SourceDeliveryQuery {
  projectId: string;
  /** The id of a source. */
  source: string | null | undefined;
  status: SourceDeliveryStatus | null | undefined;
  /** A cursor from this list. */
  after: string | undefined;
  /** At least 1. */
  limit: number;
}

const order = 'sourceDeliveries.newest';

/**
 * A page of the deliveries of sources, newest first (4.8). Throws `invalid` on a foreign cursor.
 */
export async function listSourceDeliveries(
  ctx: EngineContext,
  { projectId, source, status, after, limit }: SourceDeliveryQuery,
): Promise<Page<SourceDeliveryRow>> {
  const where = new Conditions();
  where.add(`d.project_id = ${where.parameter(projectId)}::uuid`);
  if (source !== null && source !== undefined) addSource(where, source);
  if (after !== undefined) {
    const [atMs, id] = decodeCursor(order, after, [cursorParts.instant, cursorParts.id]);
    where.add(`(d.created_at, d.id) < (${where.parameter(new Date(atMs))}::timestamptz, ${where.parameter(id)}::uuid)`);
  }
  const statuses = status ? [status] : sourceDeliveryStatuses;
  const rows = where.impossible ? [] : await fetchRows(ctx, where, { statuses, wanted: limit + 1 });
  return toPage(rows, limit, ({ createdAt, id }) => encodeCursor(order, [createdAt.getTime(), id]));
}

/** A text that is no UUID is no source. */
function addSource(where: Conditions, source: string): void {
  if (isId(source)) where.add(`d.source_id = ${where.parameter(source)}::uuid`);
  else where.excludeAll();
}

/**
 * Merges the newest rows of each status, which the index of the project or of the source has in
 * order. So a page costs the same, however rare a status is. A plan for all values may read all
 * projects instead.
 */
function fetchRows(
  ctx: EngineContext,
  where: Conditions,
  { statuses, wanted }: { statuses: readonly SourceDeliveryStatus[]; wanted: number },
): Promise<SourceDeliveryRow[]> {
  const limit = where.parameter(wanted);
  const text = `select newest.* from unnest(${where.parameter(statuses)}::text[]) as s(status)
    cross join lateral (
      select ${sourceDeliveryColumns('d')} from webhook_source_delivery d
      where ${where.text} and d.status = s.status
      order by d.created_at desc, d.id desc limit ${limit}
    ) newest
    order by created_at desc, id desc limit ${limit}`;
  return plannedRead<SourceDeliveryRow>(ctx, { text, values: where.values });
}
