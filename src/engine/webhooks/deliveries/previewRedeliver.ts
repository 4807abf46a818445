import type { EngineContext } from '../../context.ts';
import { longRead } from '../../longRead.ts';
import { readInstant } from '../../timeline/index.ts';
import { type StoredStatus, storedStatuses } from './delivery.ts';
import {
  type CheckedFilter,
  checkFilter,
  matchDeliveries,
  maxCounted,
  type RedeliverFilter,
} from './matchDeliveries.ts';
import { DeliveryConditions, quoted } from './reads/deliveryFilter.ts';
import type { DeliveryRow } from './reads/deliveryRow.ts';
import { selectDeliveryRows } from './sql/selectDeliveryRows.ts';

export type DeliveryStatusCounts = Record<StoredStatus, number>;

export interface EndpointCount {
  /** Null: the sends of steps. */
  endpointId: string | null;
  count: number;
}

/** The deliveries that a bulk redelivery would attempt again now. */
export interface RedeliverPreview {
  /** All matches; counted up to 100,000. */
  matched: number;
  /** The deliveries that the call would attempt again, at most 1000. */
  count: number;
  /** Those of the newest 1000 that are in flight. */
  skipped: number;
  capped: boolean;
  /** A call with this `until` acts on no delivery that was created after the preview. */
  until: Date;
  byStatus: DeliveryStatusCounts;
  /** The endpoints with the most matches, at most 20. */
  byEndpoint: EndpointCount[];
  /** The newest of the deliveries that the call would attempt again. */
  sample: DeliveryRow[];
}

const sampleSize = 5;
const maxEndpoints = 20;

/** What `redeliverMany` would act on. Throws as it does, and changes nothing. */
export async function previewRedeliver(
  ctx: EngineContext,
  { projectId, filter }: { projectId: string; filter: RedeliverFilter },
): Promise<RedeliverPreview> {
  const checked = checkFilter(filter);
  const [present] = await readInstant(ctx.db, { now: ctx.clock.sql() });
  if (!present) throw new Error('the database has no time');
  const until = checked.until && checked.until < present.at ? checked.until : present.at;
  const bounded = { ...checked, until };
  const { deliveries, matched, capped } = await matchDeliveries(ctx, projectId, bounded);
  const free = deliveries.filter(({ isInFlight }) => !isInFlight).map(({ id }) => id);
  const counts = await countMatches(ctx, projectId, bounded);
  const ids = free.slice(0, sampleSize);
  const rows = ids.length === 0 ? [] : await selectDeliveryRows(ctx.db, { projectId, ids });
  const sample = ids.flatMap((id) => rows.find((row) => row.id === id) ?? []);
  return { matched, count: free.length, skipped: deliveries.length - free.length, capped, until, sample, ...counts };
}

/** Counts the first 100,000 matches. Waits for its turn as statistics do. */
async function countMatches(
  ctx: EngineContext,
  projectId: string,
  { statuses, ...filter }: CheckedFilter,
): Promise<Pick<RedeliverPreview, 'byStatus' | 'byEndpoint'>> {
  const where = new DeliveryConditions(projectId, filter);
  if (where.impossible) where.add('false');
  const heads = where.withSql ? `${where.withSql},` : 'with';
  const text = `${heads} seen as materialized (
      select d.status, d.endpoint_id from webhook_delivery d
      where ${where.text} and d.status in (${quoted(statuses)}) limit ${maxCounted}
    ),
    named as (
      select endpoint_id as "endpointId", count(*)::int as count from seen group by endpoint_id
      order by count desc, endpoint_id limit ${maxEndpoints}
    )
    select (select json_build_object(${storedStatuses
      .map((each) => `'${each}', count(*) filter (where status = '${each}')`)
      .join(', ')}) from seen)::text as by_status,
      coalesce((select json_agg(named) from named), '[]')::text as by_endpoint`;
  const [row] = await longRead<{ byStatus: string; byEndpoint: string }>(ctx, { text, values: where.values });
  if (!row) throw new Error('an aggregate without a row');
  return { byStatus: JSON.parse(row.byStatus), byEndpoint: JSON.parse(row.byEndpoint) };
}
