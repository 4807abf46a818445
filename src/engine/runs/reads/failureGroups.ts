import type { EngineContext } from '../../context.ts';
import { sharedRead } from '../../sharedRead.ts';
import { likenessSql } from '../likeness.ts';
import { type RunFilter, runConditions } from './runFilter.ts';

/**
 * Failed runs whose errors are alike: the same name, and messages that differ only in ids and
 * numbers.
 */
export interface FailureGroup {
  /** Selects the runs of the group in filters. */
  errorGroup: string;
  count: number;
  /** How many workflows they are of. */
  workflows: number;
  /** When the first and the last of them ended. */
  first: Date;
  last: Date;
  /** The last of them. */
  sampleId: string;
  /** The error of the last of them, as JSON text. */
  error: string;
}

export interface FailureGroups {
  groups: FailureGroup[];
  /** The failed runs that were looked at, newest first. */
  examined: number;
  /** Whether there are more of them. */
  isCapped: boolean;
}

interface FailureGroupsQuery {
  projectId: string;
  filter: RunFilter;
  limit: number;
  /** How old the answer may be. */
  maxAgeMs: number;
}

/** The failed runs that are grouped, newest first. */
export const maxExamined = 10_000;

type Row = FailureGroup & { examined: number };

/**
 * The failed runs of a filter, by their errors, most frequent first. Looks at the newest failures,
 * at most `maxExamined`. Throws `invalid` on tags that no run can hold.
 */
export async function readFailureGroups(
  ctx: EngineContext,
  { projectId, filter, limit, maxAgeMs }: FailureGroupsQuery,
): Promise<FailureGroups> {
  const where = runConditions(projectId, filter);
  if (where.impossible) return { groups: [], examined: 0, isCapped: false };
  const text = `
    with failed as materialized (
      select run.id, run.app, run.workflow, run.ended_at, md5(${likenessSql('run.error')}) as error_group
      from run where run.status = 'failed' and ${where.text}
      order by run.created_at desc, run.id desc limit ${maxExamined + 1}
    ),
    named as (
      select error_group, count(*)::int as count, count(distinct (app, workflow))::int as workflows,
        min(ended_at) as first, max(ended_at) as last, (array_agg(id order by ended_at desc, id desc))[1] as sample_id
      from failed group by error_group
      order by count desc, last desc, error_group limit ${where.parameter(limit)}
    )
    select named.*, sample.error, (select count(*)::int from failed) as examined
    from named join run sample on sample.id = named.sample_id
    order by named.count desc, named.last desc, named.error_group`;
  const rows = await sharedRead<Row>(ctx, { text, values: where.values }, maxAgeMs);
  const examined = rows[0]?.examined ?? 0;
  return {
    groups: rows.map(({ examined: _, ...group }) => group),
    examined: Math.min(examined, maxExamined),
    isCapped: examined > maxExamined,
  };
}
