import type { EngineContext } from '../../context.ts';
import { longRead } from '../../longRead.ts';
import { bucketSeconds } from '../../paging/index.ts';
import { type SpendFigures, type SpendQuery, spendConditions, spendFiguresSql, spendNumbersSql } from './readSpend.ts';

export interface SpendByHourAndModel extends SpendFigures {
  /** The start of the bucket. */
  bucket: Date;
  /** Null for calls without a model name. */
  model: string | null;
}

export interface SpendBySession extends SpendFigures {
  /** The id of the run, for a run without a session. */
  session: string;
}

export interface SpendByRun extends SpendFigures {
  runId: string;
}

/** The maximum number of rows by time and model. */
export const maxHoursAndModels = 5_000;

/**
 * The spend by time and model: the latest rows, oldest first. Throws `invalid` if the bucket is not
 * a whole number of seconds.
 */
export async function readSpendByHourAndModel(ctx: EngineContext, query: SpendQuery): Promise<SpendByHourAndModel[]> {
  const where = spendConditions(query);
  if (where.impossible) return [];
  const width = `${where.parameter(bucketSeconds(query.bucket))}::int * interval '1 second'`;
  const text = `
    select bucket, model, ${spendNumbersSql} from (
      select date_bin(${width}, created_at, timestamptz 'epoch') as bucket, model, ${spendFiguresSql}
      from ai_usage where ${where.text}
      group by 1, 2 order by 1 desc, 2 limit ${maxHoursAndModels}
    ) latest
    order by bucket, model`;
  return longRead<SpendByHourAndModel>(ctx, { text, values: where.values });
}

/** The sessions with the highest cost; those without prices follow, by their tokens. */
export const readSpendBySession = (ctx: EngineContext, query: SpendQuery, limit: number): Promise<SpendBySession[]> =>
  readDearest<SpendBySession>(ctx, query, { owner: 'coalesce(run.session, run.id::text) as session', limit });

/** The runs with the highest cost; those without prices follow, by their tokens. */
export const readSpendByRun = (ctx: EngineContext, query: SpendQuery, limit: number): Promise<SpendByRun[]> =>
  readDearest<SpendByRun>(ctx, query, { owner: 'run.id as run_id', limit });

async function readDearest<Row extends SpendFigures>(
  ctx: EngineContext,
  query: SpendQuery,
  { owner, limit }: { owner: string; limit: number },
): Promise<Row[]> {
  const where = spendConditions(query);
  if (where.impossible) return [];
  const name = owner.split(' as ').at(-1);
  const text = `
    select ${name}, ${spendNumbersSql} from (
      select ${owner}, ${spendFiguresSql}
      from ai_usage join run on run.id = ai_usage.run_id where ${where.text}
      group by 1
      order by cost desc nulls last, coalesce(sum(tokens_in), 0) + coalesce(sum(tokens_out), 0) desc, 1
      limit ${where.parameter(limit)}
    ) dearest
    order by cost desc nulls last, tokens desc, 1`;
  return longRead<Row>(ctx, { text, values: where.values });
}
