import { statement } from '../../db/index.ts';

interface Row {
  run_id: string;
  tokens: number;
  cost: number | null;
}

/**
 * What runs have spent, by the primary key; a run without a call has no row. Steps that a fork carried along left their calls
 * with the run that made them, so a fork starts at nothing. Costs are added up as decimals.
 */
export const sumRunSpend = statement<{ runIds: readonly string[] }, Row>({
  name: 'sumRunSpend',
  writes: false,
  text: `
    select run_id, (coalesce(sum(tokens_in), 0) + coalesce(sum(tokens_out), 0))::float8 as tokens,
      sum(cost::numeric)::float8 as cost
    from ai_usage where run_id = any($1::uuid[])
    group by run_id
  `,
  values: ({ runIds }) => [runIds],
});
