import { statement, uuid } from '../../db/index.ts';

/** What the model calls of a run used. */
export interface RunUsage {
  runId: string;
  calls: number;
  /** Input and output tokens. */
  tokens: number;
  /** USD; null if no call was priced. */
  cost: number | null;
}

/** The usage of runs; no row for a run without calls. Rides the primary key. */
export const sumRunUsage = statement<RunUsage>('sumRunUsage').reads({
  params: { projectId: uuid, runIds: uuid.list },
  text: `
    select run_id, count(*)::int as calls,
      (coalesce(sum(tokens_in), 0) + coalesce(sum(tokens_out), 0))::float8 as tokens, sum(cost::numeric)::float8 as cost
    from ai_usage
    where run_id = any($runIds) and project_id = $projectId
    group by run_id`,
});
