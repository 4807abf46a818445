import type { EngineContext } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { orderedRead, plannedRead } from '../../longRead.ts';
import type { StoredStatus } from './delivery.ts';
import { DeliveryConditions, type DeliveryFilter, deliveriesSql, quoted } from './reads/deliveryFilter.ts';
import { isInFlightSql } from './reads/deliveryRow.ts';
import type { Redeliverable } from './redeliverDelivery.ts';

/** How many deliveries one call redelivers. */
const redeliverCeiling = 1000;

/** The count of matches stops here. */
export const maxCounted = 100_000;

/** Deliveries that did not arrive, or not yet. Others must be named. */
const missed: readonly StoredStatus[] = ['failed', 'exhausted', 'dead'];

/** The filter of a bulk redelivery: that of lists. At least one field must be given. */
export interface RedeliverFilter extends Omit<DeliveryFilter, 'status' | 'statuses'> {
  /** Default: `failed`, `exhausted` and `dead`. */
  statuses?: readonly StoredStatus[] | null | undefined;
}

export type CheckedFilter = Omit<DeliveryFilter, 'status' | 'statuses'> & { statuses: readonly StoredStatus[] };

/**
 * Throws `invalid` on a filter that selects everything, on an empty text, and on more ids than one
 * call takes.
 */
export function checkFilter({ statuses, ...given }: RedeliverFilter): CheckedFilter {
  const { deliveryIds } = given;
  if (deliveryIds && deliveryIds.length > redeliverCeiling)
    throw invalid(`deliveryIds may hold at most ${redeliverCeiling} ids`);
  const others = Object.fromEntries(Object.entries(given).filter(([, value]) => selects(value)));
  if (Object.keys(others).length === 0 && !statuses?.length)
    throw invalid('redeliverWebhooks needs at least one filter, such as endpointId, statuses, since or until');
  // Nothing was chosen, so the other filters must not choose for the caller.
  const [empty] = Object.entries(given).find(([, value]) => value === '') ?? [];
  if (empty !== undefined) throw invalid(`${empty} must not be empty`);
  if (deliveryIds?.length === 0) throw invalid('deliveryIds must hold at least one id');
  return { ...others, statuses: statuses?.length ? [...new Set(statuses)] : missed };
}

const selects = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '';

interface Match extends Redeliverable {
  isInFlight: boolean;
}

export interface DeliveryMatches {
  /** The newest matches, at most `redeliverCeiling`. */
  deliveries: Match[];
  /** All matches; counted up to 100,000. */
  matched: number;
  /** Whether more match than `deliveries` holds. */
  capped: boolean;
}

/** The newest matches and their number: by one statement, so that they agree. */
export async function matchDeliveries(
  ctx: EngineContext,
  projectId: string,
  { statuses, ...filter }: CheckedFilter,
): Promise<DeliveryMatches> {
  const where = new DeliveryConditions(projectId, filter);
  if (where.impossible) return { deliveries: [], matched: 0, capped: false };
  const limit = where.parameter(redeliverCeiling + 1);
  const text = `${where.withSql}
    select d.id, d.endpoint_id, d.url, ${isInFlightSql} as is_in_flight, c.counted
    from (
      select count(*)::int as counted from (
        select from webhook_delivery d where ${where.text} and d.status in (${quoted(statuses)}) limit ${maxCounted}
      ) seen
    ) c
    left join (
      select * from (
      ${deliveriesSql(where, { filter, statuses, limit })}
      ) d
      order by d.created_at desc, d.id desc limit ${limit}
    ) d on true`;
  // Ids lead to their rows at once. The order of another index would pass all deliveries.
  const read = filter.deliveryIds ? plannedRead : orderedRead;
  const rows = await read<Match & { counted: number }>(ctx, { text, values: where.values });
  // Without a match there is one row, which holds only the count.
  const found = rows.filter(({ id }) => id !== null);
  const deliveries = found.slice(0, redeliverCeiling);
  const matched = Math.max(rows[0]?.counted ?? 0, found.length);
  return { deliveries, matched, capped: found.length > deliveries.length };
}
