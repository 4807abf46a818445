import type { EngineContext } from '../../context.ts';
import { longRead } from '../../longRead.ts';
import { bucketSeconds, Conditions } from '../../paging/index.ts';

/** The sums over a set of model calls (4.4). */
export interface SpendFigures {
  calls: number;
  tokensIn: number;
  tokensOut: number;
  /** Input and output tokens. */
  tokens: number;
  /** USD; null if no call was priced. */
  cost: number | null;
  /** The mean over the calls with a latency, in whole ms; null without any. */
  avgLatencyMs: number | null;
  cacheHits: number;
  /** Calls that used a cache, hits included. */
  cacheEligible: number;
  /** Calls that may have been billed: their sends ended unknown. */
  unknown: number;
}

export interface SpendByBucket extends SpendFigures {
  /** The start of the bucket. */
  bucket: Date;
}

export interface SpendByModel extends SpendFigures {
  /** Null for calls without a model name. */
  model: string | null;
}

export interface SpendByWorkflow extends SpendFigures {
  app: string;
  workflow: string;
}

export interface SpendReport {
  totals: SpendFigures;
  /** Oldest first; only buckets with calls. */
  byHour: SpendByBucket[];
  /** Most tokens first. */
  byModel: SpendByModel[];
  /** Most tokens first. */
  byWorkflow: SpendByWorkflow[];
}

export interface SpendQuery {
  projectId: string;
  app: string | null | undefined;
  workflow: string | null | undefined;
  /** Only calls of exactly this model. */
  model?: string | null | undefined;
  /** Only calls recorded at or after this time. */
  since: Date | null | undefined;
  /** Only calls recorded before this time. */
  until?: Date | null | undefined;
  /** The width of a bucket in seconds; default 3600. */
  bucket: number | null | undefined;
}

/**
 * The maximum number of rows: the latest buckets, and the models and workflows with most tokens.
 */
export const spendRowLimits = { buckets: 5000, models: 1000, workflows: 1000 } as const;

/**
 * The spend of a project's AI steps: in total, by time, by model and by workflow. Scans the calls
 * of the window once, by `ai_usage (project_id, …, created_at)`. Throws `invalid` if the bucket is
 * not a whole number of seconds.
 */
export async function readSpend(ctx: EngineContext, query: SpendQuery): Promise<SpendReport> {
  const bucket = bucketSeconds(query.bucket);
  const where = spendConditions(query);
  const rows = where.impossible ? [] : await fetchRows(ctx, where, bucket);
  return assembled(rows);
}

/** The calls of `ai_usage` that a query selects. */
export function spendConditions(query: Omit<SpendQuery, 'bucket'>): Conditions {
  const where = new Conditions();
  where.add(`ai_usage.project_id = ${where.parameter(query.projectId)}::uuid`);
  where.equal('ai_usage.app', query.app);
  where.equal('ai_usage.workflow', query.workflow);
  where.equal('ai_usage.model', query.model);
  if (query.since) where.add(`ai_usage.created_at >= ${where.parameter(query.since)}::timestamptz`);
  if (query.until) where.add(`ai_usage.created_at < ${where.parameter(query.until)}::timestamptz`);
  return where;
}

/** SQL: the sums of a group of calls. */
export const spendFiguresSql = `
        count(*) as calls, coalesce(sum(tokens_in), 0) as tokens_in, coalesce(sum(tokens_out), 0) as tokens_out,
        sum(cost::numeric) as cost, round(avg(latency_ms)) as avg_latency_ms,
        count(*) filter (where cache_hit) as cache_hits, count(cache_hit) as cache_eligible,
        count(*) filter (where unknown) as unknown`;

/** SQL: the sums of a row as numbers. */
export const spendNumbersSql = `calls, tokens_in::float8, tokens_out::float8,
      (tokens_in + tokens_out)::float8 as tokens, cost::float8, avg_latency_ms, cache_hits,
      cache_eligible, unknown`;

interface Row extends SpendFigures {
  kind: 'totals' | 'bucket' | 'model' | 'workflow';
  bucket: Date | null;
  model: string | null;
  app: string | null;
  workflow: string | null;
}

async function fetchRows(ctx: EngineContext, where: Conditions, bucket: number): Promise<Row[]> {
  const condition = where.text;
  const width = `${where.parameter(bucket)}::int * interval '1 second'`;
  const text = `
    with figures as (
      select bucket, model, app, workflow,
        case grouping(bucket, model, app) when 7 then 'totals' when 3 then 'bucket' when 5 then 'model' else 'workflow' end
          as kind,${spendFiguresSql}
      from (
        select date_bin(${width}, created_at, timestamptz 'epoch') as bucket, model, app, workflow, tokens_in, tokens_out,
          cost, latency_ms, cache_hit, unknown
        from ai_usage where ${condition}
      ) call
      group by grouping sets ((), (bucket), (model), (app, workflow))
    ),
    ranked as (
      select *, row_number() over (
        partition by kind order by bucket desc nulls last, tokens_in + tokens_out desc, calls desc, model, app, workflow) as rank
      from figures
    )
    select kind, bucket, model, app, workflow, ${spendNumbersSql}
    from ranked
    where rank <= case kind when 'bucket' then ${spendRowLimits.buckets} when 'model' then ${spendRowLimits.models}
      else ${spendRowLimits.workflows} end
    order by kind, rank`;
  return longRead<Row>(ctx, { text, values: where.values });
}

const nothing: SpendFigures = {
  calls: 0,
  tokensIn: 0,
  tokensOut: 0,
  tokens: 0,
  cost: null,
  avgLatencyMs: null,
  cacheHits: 0,
  cacheEligible: 0,
  unknown: 0,
};

function assembled(rows: readonly Row[]): SpendReport {
  const spend: SpendReport = { totals: nothing, byHour: [], byModel: [], byWorkflow: [] };
  for (const { kind, bucket, model, app, workflow, ...figures } of rows) {
    if (kind === 'totals') spend.totals = figures;
    else if (kind === 'model') spend.byModel.push({ model, ...figures });
    else if (bucket) spend.byHour.push({ bucket, ...figures });
    else if (app !== null && workflow !== null) spend.byWorkflow.push({ app, workflow, ...figures });
  }
  spend.byHour.reverse();
  return spend;
}
