import type { EngineContext } from '../../../context.ts';
import { isId } from '../../../ids.ts';
import { longRead } from '../../../longRead.ts';
import { bucketSeconds } from '../../../paging/index.ts';
import { storedStatuses } from '../delivery.ts';

/** Numbers of deliveries, by status. One in flight counts as `pending` or `failed`, as before. */
export interface DeliveryCounts {
  total: number;
  succeeded: number;
  failed: number;
  exhausted: number;
  dead: number;
  pending: number;
  /** All attempts of these deliveries, whenever they were made; none that was skipped. */
  attempts: number;
  /** Attempts without a response, or with a refusal. */
  failedAttempts: number;
  /** The durations of attempts, in whole ms; null without any. */
  p50Ms: number | null;
  p95Ms: number | null;
}

/** The health of an endpoint in a window (rulings 8): of deliveries created in it. */
export interface EndpointStats extends DeliveryCounts {
  endpointId: string;
  lastAttemptAt: Date | null;
  /** Of the latest attempt; null if it got no response. */
  lastStatusCode: number | null;
}

export interface EndpointBucket extends DeliveryCounts {
  endpointId: string;
  /** Its start. */
  bucket: Date;
}

export interface EndpointStatsQuery {
  projectId: string;
  /** Default: 24 hours ago. */
  since?: Date | null | undefined;
  /** Only deliveries created before it. */
  until?: Date | null | undefined;
  /** Only this endpoint. An id of another project matches none. */
  endpointId?: string | null | undefined;
}

const dayMs = 86_400_000;

/** Buckets of all endpoints, at most: the latest ones are kept. */
export const maxEndpointBuckets = 5000;

/** The parameters of both statements. */
const valuesOf = (ctx: EngineContext, { projectId, since, until, endpointId }: EndpointStatsQuery): unknown[] => [
  projectId,
  since ?? new Date(ctx.clock.now().getTime() - dayMs),
  until ?? 'infinity',
  endpointId || null,
];

/** Endpoints that a query asks for. */
const isWanted = 'project_id = $1::uuid and ($4::uuid is null or id = $4::uuid)';

/**
 * The deliveries of endpoints with their attempts. A delivery has one row for each attempt; the
 * first one counts the delivery.
 */
const attemptsOf = ({ endpointId }: EndpointStatsQuery, more: string): string => `
      select d.endpoint_id, d.status, a.duration_ms, a.outcome, a.status_code, a.created_at as attempted_at,
        coalesce(a.attempt, 1) = 1 as is_first${more}
      from webhook_delivery d left join webhook_attempt a on a.delivery_id = d.id
      where d.project_id = $1::uuid and d.created_at >= $2::timestamptz and d.created_at < $3::timestamptz
        and d.endpoint_id ${endpointId ? `= (select id from webhook_endpoint where ${isWanted})` : 'is not null'}`;

const percentile = (fraction: number): string => `round(percentile_cont(${fraction})
        within group (order by duration_ms) filter (where outcome <> 'skipped'))::float8`;

const figures = `count(*) filter (where is_first)::int as total,
      ${storedStatuses.map((each) => `(count(*) filter (where is_first and status = '${each}'))::int as ${each}`).join(', ')},
      (count(*) filter (where outcome <> 'skipped'))::int as attempts,
      (count(*) filter (where outcome not in ('succeeded', 'skipped')))::int as failed_attempts,
      ${percentile(0.5)} as p50_ms, ${percentile(0.95)} as p95_ms`;

/** The instant and the status code of the latest attempt. */
const latest = 'max(array[(extract(epoch from attempted_at) * 1000)::bigint, coalesce(status_code, 0)])';

/** All endpoints of a project, oldest first, also those without deliveries. */
export async function readEndpointStats(ctx: EngineContext, query: EndpointStatsQuery): Promise<EndpointStats[]> {
  if (query.endpointId && !isId(query.endpointId)) return [];
  const text = `
    select p.id as endpoint_id, coalesce(total, 0) as total, p50_ms, p95_ms,
      ${storedStatuses.map((each) => `coalesce(${each}, 0) as ${each}`).join(', ')},
      coalesce(attempts, 0) as attempts, coalesce(failed_attempts, 0) as failed_attempts,
      to_timestamp(latest[1] / 1000.0)::timestamptz(3) as last_attempt_at, nullif(latest[2], 0)::int as last_status_code
    from webhook_endpoint p
    left join (
      select endpoint_id, ${figures}, ${latest} filter (where attempted_at is not null) as latest
      from (${attemptsOf(query, '')}) a group by endpoint_id
    ) s on s.endpoint_id = p.id
    where ${isWanted}
    order by p.created_at, p.id`;
  return longRead<EndpointStats>(ctx, { text, values: valuesOf(ctx, query) });
}

/**
 * The same by the time of creation, oldest bucket first. Only buckets with deliveries are answered,
 * the latest `maxEndpointBuckets`. Throws `invalid` on a bucket that is no whole number of seconds.
 */
export async function readEndpointBuckets(
  ctx: EngineContext,
  { bucket, ...query }: EndpointStatsQuery & { bucket: number | null | undefined },
): Promise<EndpointBucket[]> {
  const values = [...valuesOf(ctx, query), bucketSeconds(bucket)];
  if (query.endpointId && !isId(query.endpointId)) return [];
  const width = `, date_bin($5::int * interval '1 second', d.created_at, timestamptz 'epoch') as bucket`;
  const text = `
    select * from (
      select endpoint_id, bucket, ${figures} from (${attemptsOf(query, width)}) a
      where endpoint_id in (select id from webhook_endpoint where ${isWanted})
      group by endpoint_id, bucket
      order by bucket desc, endpoint_id limit ${maxEndpointBuckets}
    ) s
    order by endpoint_id, bucket`;
  return longRead<EndpointBucket>(ctx, { text, values });
}
