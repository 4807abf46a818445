import type { EngineContext } from '../context.ts';
import { longRead } from '../longRead.ts';
import { type RunFilter, runConditions, type StatusCounts, statusCountsSql } from '../runs/index.ts';
import { maxCounted } from './matchRuns.ts';

export interface WorkflowCount {
  app: string;
  workflow: string;
  count: number;
}

/** Matches of a filter by status and by workflow, of the first 100,000 that are found. */
export interface MatchCounts {
  byStatus: StatusCounts;
  /** The workflows with the most matches, at most 20. */
  byWorkflow: WorkflowCount[];
}

const maxWorkflows = 20;

/** Counts the matches of a bulk call. Waits for its turn as statistics do. */
export async function matchCounts(ctx: EngineContext, projectId: string, filter: RunFilter): Promise<MatchCounts> {
  const where = runConditions(projectId, filter);
  if (where.impossible) where.add('false');
  const text = `
    with seen as materialized (select run.status, run.app, run.workflow from run where ${where.text} limit ${maxCounted}),
    named as (
      select app, workflow, count(*)::int as count from seen group by app, workflow
      order by count desc, app, workflow limit ${maxWorkflows}
    )
    select (select ${statusCountsSql} from seen)::text as by_status,
      coalesce((select json_agg(named) from named), '[]')::text as by_workflow`;
  const [row] = await longRead<{ byStatus: string; byWorkflow: string }>(ctx, { text, values: where.values });
  if (!row) throw new Error('an aggregate without a row');
  return { byStatus: JSON.parse(row.byStatus), byWorkflow: JSON.parse(row.byWorkflow) };
}
