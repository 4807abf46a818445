import type { EngineContext } from '../../../context.ts';
import { orderedRead, plannedRead } from '../../../longRead.ts';
import { cursorParts, decodeCursor, encodeCursor, type Page, toPage } from '../../../paging/index.ts';
import { type DeliveryStatus, type StoredStatus, storedStatuses } from '../delivery.ts';
import { DeliveryConditions, type DeliveryFilter, deliveriesSql, statusesOf } from './deliveryFilter.ts';
import { type DeliveryRow, deliveryColumns } from './deliveryRow.ts';

export interface DeliveryListQuery {
  projectId: string;
  filter: DeliveryFilter;
  /** A cursor from this list. */
  after: string | undefined;
  /** At least 1. */
  limit: number;
}

/** The place of a delivery in the list. */
type Position = Pick<DeliveryRow, 'createdAt' | 'id'>;

const order = 'webhookDeliveries.newest';

/** The maximum number of rows of one statement beyond the first one. */
const maxRows = 2000;

/**
 * A page of a project's deliveries, newest first (4.8). Keyset paging by creation and id. A page of
 * pending or failed deliveries leaves out those in flight, and reads on until it is full. Throws
 * `invalid` on a cursor of another list.
 */
export async function listDeliveries(ctx: EngineContext, query: DeliveryListQuery): Promise<Page<DeliveryRow>> {
  const { filter, limit } = query;
  const statuses = statusesOf(filter);
  let after = query.after === undefined ? undefined : readCursor(query.after);
  const rows: DeliveryRow[] = [];
  for (let wanted = limit + 1; ; wanted = Math.min(2 * wanted, maxRows)) {
    const found = await fetchRows(ctx, { ...query, statuses, after, wanted });
    rows.push(...found.filter(({ status }) => statuses?.includes(status) ?? true));
    after = found.at(-1);
    if (rows.length > limit || found.length < wanted) break;
  }
  return toPage(rows, limit, cursorOf);
}

interface Search {
  projectId: string;
  filter: DeliveryFilter;
  statuses: readonly DeliveryStatus[] | undefined;
  after: Position | undefined;
  wanted: number;
}

async function fetchRows(
  ctx: EngineContext,
  { projectId, filter, statuses, after, wanted }: Search,
): Promise<DeliveryRow[]> {
  const where = new DeliveryConditions(projectId, filter);
  if (after) {
    const at = `${where.parameter(after.createdAt)}::timestamptz`;
    where.add(`(d.created_at, d.id) < (${at}, ${where.parameter(after.id)}::uuid)`);
  }
  if (where.impossible || statuses?.length === 0) return [];
  const limit = where.parameter(wanted);
  const textOf = (from: string, distinct = ''): string => `${where.withSql}
    select ${distinct}${deliveryColumns} from (
      ${from}
    ) d
    order by d.created_at desc, d.id desc limit ${limit}`;
  const stored = statuses && storedStatuses.filter((each) => statuses.includes(each));
  if (stored?.length === 0) {
    return plannedRead<DeliveryRow>(ctx, { text: textOf(inFlightSql(where)), values: where.values });
  }
  const isAlsoInFlight = statuses?.includes('delivering') ?? false;
  if (!isAlsoInFlight && stored?.some(hasWork)) where.add(notInFlightSql(where));
  const parts = deliveriesSql(where, { filter, statuses: stored, limit });
  const text = isAlsoInFlight ? textOf(withInFlight(where, parts, limit), onlyOnce) : textOf(parts);
  return orderedRead<DeliveryRow>(ctx, { text, values: where.values });
}

/** A delivery in flight is stored as pending or failed, so two parts may have it. */
const onlyOnce = 'distinct on (d.created_at, d.id) ';

const withInFlight = (where: DeliveryConditions, parts: string, limit: string): string => `
      (select d.* from (${inFlightSql(where)}) d order by d.created_at desc, d.id desc limit ${limit})
      union all
      ${parts}`;

/** Leases are few, so the list of those in flight begins with them. `offset 0` keeps that order. */
const inFlightSql = (where: DeliveryConditions): string => `
      select d.* from webhook_work w
      cross join lateral (select * from webhook_delivery o where o.id = w.delivery_id offset 0) d
      where w.lease_id is not null and w.project_id = ${where.project} and ${where.text}`;

const hasWork = (status: StoredStatus): boolean => status === 'pending' || status === 'failed';

/** Leaves out what is in flight, up to a limit. The status of a row tells of the others. */
const notInFlightSql = ({ project }: DeliveryConditions): string => `d.id <> all (array(
          select w.delivery_id from webhook_work w where w.lease_id is not null and w.project_id = ${project} limit 1000))`;

const cursorOf = ({ createdAt, id }: Position): string => encodeCursor(order, [createdAt.getTime(), id]);

function readCursor(cursor: string): Position {
  const [at, id] = decodeCursor(order, cursor, [cursorParts.instant, cursorParts.id]);
  return { createdAt: new Date(at), id };
}
