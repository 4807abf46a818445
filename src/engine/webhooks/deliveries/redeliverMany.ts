import { recordControl } from '../../audit/index.ts';
import type { EngineContext } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { orderedRead } from '../../longRead.ts';
import type { StoredStatus } from './delivery.ts';
import { DeliveryConditions, type DeliveryFilter, deliveriesSql, quoted } from './reads/deliveryFilter.ts';
import { type Redeliverable, redeliver } from './redeliverDelivery.ts';

/** How many deliveries one call redelivers. */
const ceiling = 1000;

/** The count of matches stops here. */
const maxCounted = 100_000;

/** Deliveries that did not arrive, or not yet. Others must be named. */
const missed: readonly StoredStatus[] = ['failed', 'exhausted', 'dead'];

/** At least one field must be given. */
export interface RedeliverFilter extends Pick<DeliveryFilter, 'endpointId' | 'since' | 'until'> {
  /** Default: `failed`, `exhausted` and `dead`. */
  statuses?: readonly StoredStatus[] | null | undefined;
}

export interface RedeliverManyCall {
  projectId: string;
  actor: string | undefined;
  filter: RedeliverFilter;
}

/** The outcome of a call, in deliveries. */
export interface RedeliverCounts {
  /** All matches, also those beyond the ceiling; counted up to 100,000. */
  matched: number;
  redelivered: number;
  /** Matches with an attempt in flight. */
  skipped: number;
  /** Whether more matched than one call redelivers. */
  capped: boolean;
}

/**
 * Attempts the newest of the deliveries that a filter selects again, at most 1000, each at once and
 * with a new budget. All are made due in one statement. Throws `invalid` without a filter.
 */
export async function redeliverMany(ctx: EngineContext, call: RedeliverManyCall): Promise<RedeliverCounts> {
  const { projectId, actor } = call;
  const filter = checkFilter(call.filter);
  const { deliveries, matched } = await matchDeliveries(ctx, projectId, filter);
  const chosen = deliveries.slice(0, ceiling);
  const made = chosen.length === 0 ? [] : await redeliver(ctx, ctx.db, { projectId, deliveries: chosen });
  const counts = {
    matched: Math.max(matched, deliveries.length),
    redelivered: made.length,
    skipped: chosen.length - made.length,
    capped: deliveries.length > chosen.length,
  };
  await recordControl(ctx, { projectId, action: 'bulk_redeliver', actor, detail: { filter, ...counts } });
  return counts;
}

type CheckedFilter = DeliveryFilter & { statuses: readonly StoredStatus[] };

function checkFilter({ endpointId, statuses, since, until }: RedeliverFilter): CheckedFilter {
  const given = [endpointId || undefined, statuses?.length ? statuses : undefined, since, until];
  if (given.every((each) => each === undefined || each === null)) {
    throw invalid('redeliverWebhooks needs at least one filter: endpointId, statuses, since or until');
  }
  const chosen = statuses?.length ? [...new Set(statuses)] : missed;
  return {
    endpointId: endpointId || undefined,
    statuses: chosen,
    since: since ?? undefined,
    until: until ?? undefined,
  };
}

/**
 * The newest matches, one more than the ceiling, and their number: by one statement, so that they
 * agree.
 */
async function matchDeliveries(
  ctx: EngineContext,
  projectId: string,
  { statuses, ...filter }: CheckedFilter,
): Promise<{ deliveries: Redeliverable[]; matched: number }> {
  const where = new DeliveryConditions(projectId, filter);
  if (where.impossible) return { deliveries: [], matched: 0 };
  const limit = where.parameter(ceiling + 1);
  const text = `${where.withSql}
    select d.id, d.endpoint_id, d.url, c.counted
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
  const rows = await orderedRead<Redeliverable & { counted: number }>(ctx, { text, values: where.values });
  // Without a match there is one row, which holds only the count.
  return { deliveries: rows.filter(({ id }) => id !== null), matched: rows[0]?.counted ?? 0 };
}
