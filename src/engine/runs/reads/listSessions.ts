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

/** Runs that are read at once. Fewer would make a page behind one long session slow. */
const partRows = 1_000;

/**
 * `walked` reads back over `run (project_id, created_at, id)`, part by part, until the page has its
 * sessions: `keys` are the sessions of a part's runs, newest first, and `met` all sessions so far.
 * `recent` are the first ones. Their runs are then found by `run_session_idx`, or by their id. A
 * walk from session to session would compare each run with all sessions before it.
 */
async function fetchRows(ctx: EngineContext, where: Conditions, limit: number): Promise<SessionRow[]> {
  const condition = where.text;
  const sessions = `${where.parameter(limit)}::int`;
  const text = `
    with recursive walked as (
      select 'infinity'::timestamptz as created_at, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid as id, 0 as part,
        array[]::text[] as keys, array[]::text[] as met, true as has_more
      union all
      select read.created_at, read.id, walked.part + 1, read.keys,
        array(select unnest(walked.met) union select unnest(read.keys)), read.rows = ${partRows}
      from walked cross join lateral (
        select min(created_at) as created_at, (array_agg(id order by created_at, id))[1] as id, count(*) as rows,
          array_agg(key order by created_at desc, id desc) as keys
        from (
          select run.created_at, run.id, ${key} as key from run
          where ${condition} and (run.created_at, run.id) < (walked.created_at, walked.id)
          ${newestFirst} limit ${partRows}
        ) part
      ) read
      where walked.has_more and cardinality(walked.met) < ${sessions}
    ),
    recent as (
      select key from walked cross join lateral unnest(keys) with ordinality as met_at (key, place)
      group by key order by min(part::bigint * ${partRows} + place) limit ${sessions}
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
