import { statement, uuid } from '../../db/index.ts';

/**
 * Sums the spend of runs, by the primary key; a run without a call has no row. Steps that a fork
 * carried along left their calls with the run that made them, so a fork starts at zero. Costs are
 * added up as decimals.
 */
export const sumRunSpend = statement<{ runId: string; tokens: number; cost: number | null }>('sumRunSpend').reads({
  params: { runIds: uuid.list },
  text: `
    select run_id, (coalesce(sum(tokens_in), 0) + coalesce(sum(tokens_out), 0))::float8 as tokens,
      sum(cost::numeric)::float8 as cost
    from ai_usage where run_id = any($runIds)
    group by run_id
  `,
});
