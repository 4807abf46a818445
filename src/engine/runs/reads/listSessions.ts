import type { EngineContext } from '../../context.ts';
import { longRead } from '../../longRead.ts';
import { Conditions, type Page, toPage } from '../../paging/index.ts';
import type { StatusCounts } from '../status.ts';
import { addSession } from './relatedRuns.ts';
import { type SessionGroup, sessionsOf } from './sessionGroups.ts';
import { dearestFirst, latestFirst, type PlacedSession, type SessionSort } from './sessionKeys.ts';

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
  /** Default: `latest`. With `cost`, sessions that called no model are left out. */
  sort?: SessionSort | null | undefined;
  /** A cursor of the same order. */
  after?: string | undefined;
  /** At least 1. */
  limit: number;
}

/**
 * A page of a project's sessions: most recent first, or the dearest first. Only runs that pass the
 * filters count. Throws `invalid` on a cursor of another order.
 */
export async function listSessions(ctx: EngineContext, query: SessionListQuery): Promise<Page<SessionRow>> {
  const order = query.sort === 'cost' ? dearestFirst(query.after) : latestFirst(query.after);
  const where = new Conditions();
  const project = `${where.parameter(query.projectId)}::uuid`;
  where.add(`run.project_id = ${project}`);
  where.equal('run.app', query.app);
  addSession(where, project, query.session);
  const since = query.since ? `${where.parameter(query.since)}::timestamptz` : undefined;
  if (since) where.add(`run.created_at >= ${since}`);
  const limit = `${where.parameter(query.limit + 1)}::int`;
  const condition = where.text;
  const text = groupsSql(order.keysSql(where, { project, since, limit }), condition);
  const groups = where.impossible
    ? []
    : await longRead<SessionGroup>(ctx, { name: nameOf(query), text, values: where.values });
  const sessions = sessionsOf(groups).sort(order.compare);
  return toPage<PlacedSession>(sessions, query.limit, order.cursorOf);
}

/** Dashboards ask for the newest sessions again and again. A plan takes a tenth of their time. */
const nameOf = ({ app, session, since, sort, after }: SessionListQuery): string | undefined =>
  app || session || since || sort === 'cost' || after ? undefined : 'listSessions';

const uuid = `'^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`;

/**
 * The runs of the chosen sessions are found by `run_session_idx`, or by their id. One search of the
 * index finds the calls of all these runs.
 */
const groupsSql = (keys: string, condition: string): string => `
    with recursive ${keys},
    member as (
      select run.id, run.session as key, run.status, run.app, run.workflow, run.created_at from run
      where ${condition} and run.session is not null and run.session = any(array(select key from chosen))
      union all
      select run.id, run.id::text, run.status, run.app, run.workflow, run.created_at from run
      where ${condition} and run.session is null and run.id = any(array(
        select key::uuid from (select key from chosen where length(key) = 36 and key ~ ${uuid} offset 0) own))
    )
    select member.key as session, app, workflow, status, count(*) as runs,
      min(created_at) as first_run_at, max(created_at) as last_run_at, max(id::text) as newest_id,
      sum(spent.tokens)::float8 as ai_tokens, sum(spent.cost)::text as ai_cost
    from member left join (
      select run_id, coalesce(sum(tokens_in), 0) + coalesce(sum(tokens_out), 0) as tokens, sum(cost::numeric) as cost
      from ai_usage where run_id = any(array(select id from member)) group by run_id
    ) spent on spent.run_id = member.id
    group by member.key, app, workflow, status`;
