import type { EngineContext } from '../../../context.ts';
import { orderedRead, plannedRead } from '../../../longRead.ts';
import { cursorParts, decodeCursor, encodeCursor, type Page, toPage } from '../../../paging/index.ts';
import type { StoredStatus } from '../delivery.ts';
import { DeliveryConditions, type DeliveryFilter, deliveriesSql } from './deliveryFilter.ts';
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
  let after = query.after === undefined ? undefined : readCursor(query.after);
  const rows: DeliveryRow[] = [];
  for (let wanted = limit + 1; ; wanted = Math.min(2 * wanted, maxRows)) {
    const found = await fetchRows(ctx, { ...query, after, wanted });
    rows.push(...found.filter(({ status }) => !filter.status || status === filter.status));
    after = found.at(-1);
    if (rows.length > limit || found.length < wanted) break;
  }
  return toPage(rows, limit, cursorOf);
}

interface Search {
  projectId: string;
  filter: DeliveryFilter;
  after: Position | undefined;
  wanted: number;
}

async function fetchRows(ctx: EngineContext, { projectId, filter, after, wanted }: Search): Promise<DeliveryRow[]> {
  const where = new DeliveryConditions(projectId, filter);
  if (after) {
    const at = `${where.parameter(after.createdAt)}::timestamptz`;
    where.add(`(d.created_at, d.id) < (${at}, ${where.parameter(after.id)}::uuid)`);
  }
  if (where.impossible) return [];
  const limit = where.parameter(wanted);
  const textOf = (from: string): string => `${where.withSql}
    select ${deliveryColumns} from (
      ${from}
    ) d
    order by d.created_at desc, d.id desc limit ${limit}`;
  if (filter.status === 'delivering') {
    return plannedRead<DeliveryRow>(ctx, { text: textOf(inFlightSql(where)), values: where.values });
  }
  const statuses = filter.status ? [filter.status] : undefined;
  if (filter.status && hasWork(filter.status)) where.add(notInFlightSql(where));
  return orderedRead<DeliveryRow>(ctx, {
    text: textOf(deliveriesSql(where, { filter, statuses, limit })),
    values: where.values,
  });
}

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
