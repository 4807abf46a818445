import { statement, uuid } from '../../db/index.ts';

/**
 * Sums the spend of runs, by the primary key. Runs without a call have no row. Steps copied into a
 * fork leave their calls with the original run, so a fork starts at zero. Costs are summed as
 * decimals.
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
