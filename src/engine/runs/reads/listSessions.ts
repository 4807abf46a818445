import type { EngineContext } from '../../context.ts';
import { longRead } from '../../longRead.ts';
import { Conditions } from '../../paging/index.ts';
import { type StatusCounts, statusCountsSql } from '../status.ts';
import { addSession } from './relatedRuns.ts';

/**
 * A conversation: the runs of one session (4.4). A run that has none is listed under its own id.
 */
export interface SessionRow {
  session: string;
  runs: number;
  byStatus: StatusCounts;
  /** Sorted by name. */
  apps: string[];
  /** Sorted by name. */
  workflows: string[];
  firstRunAt: Date;
  lastRunAt: Date;
  /** In and out; null where no run called a model. */
  aiTokens: number | null;
  /** USD; null where no call was priced. */
  aiCost: number | null;
}

export interface SessionListQuery {
  projectId: string;
  app?: string | null | undefined;
  /** Only this one. */
  session?: string | undefined;
  /** Runs created at or after it. */
  since?: Date | null | undefined;
  /** At least 1. */
  limit: number;
}

/** The latest sessions of a project, most recent first. Only runs that pass the filters count. */
export async function listSessions(ctx: EngineContext, query: SessionListQuery): Promise<SessionRow[]> {
  const where = new Conditions();
  const project = `${where.parameter(query.projectId)}::uuid`;
  where.add(`run.project_id = ${project}`);
  where.equal('run.app', query.app);
  addSession(where, project, query.session);
  if (query.since) where.add(`run.created_at >= ${where.parameter(query.since)}::timestamptz`);
  return where.impossible ? [] : fetchRows(ctx, where, query.limit);
}

const key = 'coalesce(run.session, run.id::text)';
const newestFirst = 'order by run.created_at desc, run.id desc';
const uuid = `'^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`;

/**
 * `recent` walks back over `run (project_id, created_at, id)` from each session to the next new
 * one, as far as the page needs. The runs of those sessions are then found by `run_session_idx`, or
 * by their id.
 */
async function fetchRows(ctx: EngineContext, where: Conditions, limit: number): Promise<SessionRow[]> {
  const condition = where.text;
  const text = `
    with recursive recent as (
      (select run.created_at, run.id, ${key} as key, array[${key}] as met
       from run where ${condition} ${newestFirst} limit 1)
      union all
      select next.created_at, next.id, next.key, recent.met || next.key
      from recent cross join lateral (
        select run.created_at, run.id, ${key} as key from run
        where ${condition} and (run.created_at, run.id) < (recent.created_at, recent.id) and ${key} <> all(recent.met)
        ${newestFirst} limit 1
      ) next
      where cardinality(recent.met) < ${where.parameter(limit)}::int
    ),
    member as (
      select run.id, run.session as key, run.status, run.app, run.workflow, run.created_at from run
      where ${condition} and run.session is not null and run.session = any(array(select key from recent))
      union all
      select run.id, run.id::text, run.status, run.app, run.workflow, run.created_at from run
      where ${condition} and run.session is null
        and run.id = any(array(select key::uuid from (select key from recent where key ~ ${uuid} offset 0) own))
    )
    select member.key as session, count(*) as runs,
      ${statusCountsSql} as by_status,
      array_agg(distinct app) as apps, array_agg(distinct workflow) as workflows,
      min(created_at) as first_run_at, max(created_at) as last_run_at,
      sum(spent.tokens)::float8 as ai_tokens, sum(spent.cost)::float8 as ai_cost
    from member left join lateral (
      select coalesce(sum(tokens_in), 0) + coalesce(sum(tokens_out), 0) as tokens, sum(cost::numeric) as cost
      from ai_usage where run_id = member.id having count(*) > 0
    ) spent on true
    group by member.key
    order by max(created_at) desc, max(id::text) desc`;
  const rows = await longRead<Omit<SessionRow, 'byStatus'> & { byStatus: string }>(ctx, { text, values: where.values });
  return rows.map((row) => ({ ...row, byStatus: JSON.parse(row.byStatus) }));
}
