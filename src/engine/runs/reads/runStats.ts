import type { EngineContext } from '../../context.ts';
import { bucketSeconds, type Conditions } from '../../paging/index.ts';
import { sharedRead } from '../../sharedRead.ts';
import { type StatusCounts, statusCountsSql } from '../status.ts';
import { type RunFilter, runConditions } from './runFilter.ts';

/**
 * Statistics of a set of runs (4.4). Durations are of ended runs, in whole ms; null without any.
 */
export interface RunStats {
  total: number;
  byStatus: StatusCounts;
  p50Ms: number | null;
  p95Ms: number | null;
}

export interface RunBucket extends RunStats {
  /** Its start. */
  bucket: Date;
  avgMs: number | null;
}

/** The runs of a project that the statistics are of. */
interface RunStatsQuery {
  projectId: string;
  filter: RunFilter;
  /** Whether durations are asked for: percentiles are most of the work. Else they are null. */
  hasDurations: boolean;
  /** How old the answer may be. */
  maxAgeMs: number;
}

export interface RunTimeseriesQuery extends RunStatsQuery {
  /** Width of a bucket in seconds; 3600 unless given. */
  bucket: number | null | undefined;
  /** The instant by which a run falls into a bucket; `started` unless given. */
  by?: TimeseriesInstant | null | undefined;
}

/** `started`: when the run was created. `ended`: runs that have not ended are left out. */
export const timeseriesInstants = ['started', 'ended'] as const;
export type TimeseriesInstant = (typeof timeseriesInstants)[number];

export const runGroupings = ['workflow', 'app', 'version'] as const;
export type RunGrouping = (typeof runGroupings)[number];

/** Statistics of the runs of one app, of one workflow, or of one version of a workflow. */
export interface RunStatsGroup extends RunStats {
  app: string;
  workflow: string | null;
  version: string | null;
  /** When the first and the last of them were created. */
  first: Date;
  last: Date;
}

/** Statuses in buckets, at most: the latest buckets are kept. */
export const maxBucketStatuses = 5000;

/**
 * How many runs pass the filters, by status, and how long the finished ones took. Throws `invalid`
 * on tags that no run can hold.
 */
export async function readRunStats(
  ctx: EngineContext,
  { projectId, filter, hasDurations, maxAgeMs }: RunStatsQuery,
): Promise<RunStats> {
  const where = conditionsOf(projectId, filter);
  const text = `select ${figures(hasDurations)} from (${runsOf(where, '')}) r`;
  const [row] = await sharedRead<WithText<RunStats>>(ctx, { text, values: where.values }, maxAgeMs);
  if (!row) throw new Error('an aggregate without a row');
  return withCounts(row);
}

const groupColumns: Readonly<Record<RunGrouping, readonly string[]>> = {
  app: ['app'],
  workflow: ['app', 'workflow'],
  version: ['app', 'workflow', 'version'],
};

/** The same by group, the one with the most runs first. Throws `invalid` on impossible tags. */
export async function readRunStatsBy(
  ctx: EngineContext,
  { projectId, filter, by, limit, hasDurations, maxAgeMs }: RunStatsQuery & { by: RunGrouping; limit: number },
): Promise<RunStatsGroup[]> {
  const where = conditionsOf(projectId, filter);
  const columns = groupColumns[by];
  const shown = groupColumns.version.map((each) => (columns.includes(each) ? each : `null::text as ${each}`));
  const runs = runsOf(where, ', run.app, run.workflow, run.version, run.created_at');
  const text = `
    select ${shown.join(', ')}, min(created_at) as first, max(created_at) as last, ${figures(hasDurations)}
    from (${runs}) r group by ${columns.join(', ')}
    order by total desc, ${columns.join(', ')} limit ${where.parameter(limit)}`;
  const rows = await sharedRead<WithText<RunStatsGroup>>(ctx, { text, values: where.values }, maxAgeMs);
  return rows.map(withCounts);
}

/**
 * The same by the time of creation or of the end, oldest bucket first. Only buckets with runs are
 * answered: the latest ones that together hold `maxBucketStatuses` statuses. The query scans the
 * runs once. Throws `invalid` on a bucket that is no whole number of seconds.
 */
export async function readRunTimeseries(ctx: EngineContext, query: RunTimeseriesQuery): Promise<RunBucket[]> {
  const seconds = bucketSeconds(query.bucket);
  const where = conditionsOf(query.projectId, query.filter);
  const width = `${where.parameter(seconds)}::int * interval '1 second'`;
  const instant = query.by === 'ended' ? 'run.ended_at' : 'run.created_at';
  if (query.by === 'ended') where.add('run.ended_at is not null');
  const runs = runsOf(where, `, date_bin(${width}, ${instant}, timestamptz 'epoch') as bucket`);
  const text = `
    select bucket, total, by_status, avg_ms, p50_ms, p95_ms
    from (
      select *, sum(statuses) over (order by bucket desc) as statuses_so_far
      from (
        select bucket, ${figures(query.hasDurations)}, round(avg(ms)::numeric)::float8 as avg_ms, count(distinct status) as statuses
        from (${runs}) r group by bucket
      ) filled
    ) counted
    where statuses_so_far <= ${maxBucketStatuses}
    order by bucket`;
  const rows = await sharedRead<WithText<RunBucket>>(ctx, { text, values: where.values }, query.maxAgeMs);
  return rows.map(withCounts);
}

function conditionsOf(projectId: string, filter: RunFilter): Conditions {
  const where = runConditions(projectId, filter);
  if (where.impossible) where.add('false');
  return where;
}

/** `date_part` gives a float, which is faster than the decimal number of `extract`. */
const runsOf = (where: Conditions, more: string): string => `
  select run.status, date_part('epoch', run.ended_at - coalesce(run.started_at, run.created_at)) * 1000 as ms${more}
  from run where ${where.text}`;

const percentile = (fraction: number, hasDurations: boolean): string =>
  hasDurations ? `round(percentile_cont(${fraction}) within group (order by ms))` : 'null::float8';

const figures = (hasDurations: boolean): string => `
  count(*) as total, ${statusCountsSql} as by_status, ${percentile(0.5, hasDurations)} as p50_ms,
  ${percentile(0.95, hasDurations)} as p95_ms`;

type WithText<Stats> = Omit<Stats, 'byStatus'> & { byStatus: string };

const withCounts = <Row extends { byStatus: string }>(
  row: Row,
): Omit<Row, 'byStatus'> & { byStatus: StatusCounts } => ({
  ...row,
  byStatus: JSON.parse(row.byStatus),
});
