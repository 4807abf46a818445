import type { EngineContext } from '../../../context.ts';
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
  since: Date | null | undefined;
}

const dayMs = 86_400_000;

/** Buckets of all endpoints, at most: the latest ones are kept. */
export const maxEndpointBuckets = 5000;

const sinceOf = (ctx: EngineContext, { since }: EndpointStatsQuery): Date =>
  since ?? new Date(ctx.clock.now().getTime() - dayMs);

/**
 * The deliveries of endpoints with their attempts. A delivery has one row for each attempt; the
 * first one counts the delivery.
 */
const attemptsOf = (more: string): string => `
      select d.endpoint_id, d.status, a.duration_ms, a.outcome, a.status_code, a.created_at as attempted_at,
        coalesce(a.attempt, 1) = 1 as is_first${more}
      from webhook_delivery d left join webhook_attempt a on a.delivery_id = d.id
      where d.project_id = $1::uuid and d.created_at >= $2::timestamptz and d.endpoint_id is not null`;

const percentile = (fraction: number): string => `round(percentile_cont(${fraction})
        within group (order by duration_ms) filter (where outcome <> 'skipped'))::float8`;

const figures = `count(*) filter (where is_first)::int as total,
      ${storedStatuses.map((each) => `(count(*) filter (where is_first and status = '${each}'))::int as ${each}`).join(', ')},
      ${percentile(0.5)} as p50_ms, ${percentile(0.95)} as p95_ms`;

/** The instant and the status code of the latest attempt. */
const latest = 'max(array[(extract(epoch from attempted_at) * 1000)::bigint, coalesce(status_code, 0)])';

/** All endpoints of a project, oldest first, also those without deliveries. */
export async function readEndpointStats(ctx: EngineContext, query: EndpointStatsQuery): Promise<EndpointStats[]> {
  const text = `
    select p.id as endpoint_id, coalesce(total, 0) as total, p50_ms, p95_ms,
      ${storedStatuses.map((each) => `coalesce(${each}, 0) as ${each}`).join(', ')},
      to_timestamp(latest[1] / 1000.0)::timestamptz(3) as last_attempt_at, nullif(latest[2], 0)::int as last_status_code
    from webhook_endpoint p
    left join (
      select endpoint_id, ${figures}, ${latest} filter (where attempted_at is not null) as latest
      from (${attemptsOf('')}) a group by endpoint_id
    ) s on s.endpoint_id = p.id
    where p.project_id = $1::uuid
    order by p.created_at, p.id`;
  return longRead<EndpointStats>(ctx, { text, values: [query.projectId, sinceOf(ctx, query)] });
}

/**
 * The same by the time of creation, oldest bucket first. Only buckets with deliveries are answered,
 * the latest `maxEndpointBuckets`. Throws `invalid` on a bucket that is no whole number of seconds.
 */
export async function readEndpointBuckets(
  ctx: EngineContext,
  { bucket, ...query }: EndpointStatsQuery & { bucket: number | null | undefined },
): Promise<EndpointBucket[]> {
  const width = `, date_bin($3::int * interval '1 second', d.created_at, timestamptz 'epoch') as bucket`;
  const text = `
    select * from (
      select endpoint_id, bucket, ${figures} from (${attemptsOf(width)}) a
      where endpoint_id in (select id from webhook_endpoint where project_id = $1::uuid)
      group by endpoint_id, bucket
      order by bucket desc, endpoint_id limit ${maxEndpointBuckets}
    ) s
    order by endpoint_id, bucket`;
  const values = [query.projectId, sinceOf(ctx, query), bucketSeconds(bucket)];
  return longRead<EndpointBucket>(ctx, { text, values });
}
