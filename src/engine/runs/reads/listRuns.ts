import type { EngineContext } from '../../context.ts';
import { readRows } from '../../db/index.ts';
import { longRead, plannedRead } from '../../longRead.ts';
import { type Conditions, type Page, toPage } from '../../paging/index.ts';
import { openStatuses, runStatuses } from '../status.ts';
import { type RunFilter, runConditions, statusesOf } from './runFilter.ts';
import { type RunOrder, type RunPosition, readRunCursor, runCursor } from './runOrder.ts';
import { type RunRow, runColumns } from './runRow.ts';

export interface RunListQuery {
  projectId: string;
  filter: RunFilter;
  order: RunOrder;
  /** A cursor of the same order. */
  after: string | undefined;
  /** At least 1. */
  limit: number;
}

/**
 * A page of runs (4.4). Keyset paging: a page starts at a position, not at a count, so that runs
 * that come and go between two pages shift nothing. Equal keys are ordered by start and id, in the
 * direction of the list. Throws `invalid` on a cursor of another order, and on filters that break a
 * limit.
 */
export async function listRuns(ctx: EngineContext, query: RunListQuery): Promise<Page<RunRow>> {
  const after = query.after === undefined ? undefined : readRunCursor(query.order, query.after);
  const search: Search = { ctx, ...query, after, wanted: query.limit + 1 };
  const rows = await bySort[query.order.sort](search);
  return toPage(rows, query.limit, (row) => runCursor(query.order, row));
}

interface Search {
  ctx: EngineContext;
  projectId: string;
  filter: RunFilter;
  order: RunOrder;
  after: RunPosition | undefined;
  wanted: number;
}

const bySort: Readonly<Record<RunOrder['sort'], (search: Search) => Promise<RunRow[]>>> = {
  // Few runs are active among many that ended: one walk per status finds them without passing the
  // others.
  started: (search) => {
    const statuses = statusesOf(search.filter);
    return statuses ? mergeByStart(search, statuses) : listByStart(search);
  },
  workflow: (search) => listByGroup(search, 'workflow', (project) => `select name from workflow where ${project}`),
  app: (search) => listByGroup(search, 'app', (project) => `select app from workflow where ${project}`),
  status: (search) => listByGroup(search, 'status', () => `values ${runStatuses.map((each) => `('${each}')`).join()}`),
  duration: listByDuration,
};

const byStart = (alias: string, dir: string): string => `${alias}.created_at ${dir}, ${alias}.id ${dir}`;
const beyond = (dir: string): string => (dir === 'asc' ? '>' : '<');

const conditions = ({ projectId, filter }: Search): Conditions => runConditions(projectId, filter);

function afterStart(where: Conditions, { after, order }: Search): void {
  if (!after) return;
  const at = `${where.parameter(after.createdAt)}::timestamptz`;
  where.add(`(run.created_at, run.id) ${beyond(order.dir)} (${at}, ${where.parameter(after.id)}::uuid)`);
}

async function fetchRows({ ctx, filter }: Search, where: Conditions, text: string): Promise<RunRow[]> {
  if (where.impossible) return [];
  // Unnamed, as its shape varies with the filters.
  const query = { text, values: where.values };
  // A search that finds little examines all runs.
  if (filter.q || filter.errorGroup) return longRead<RunRow>(ctx, query);
  // A tag may be on one run in millions, or on every other, and a scope may hold one run or most.
  // Only the value tells whether their index pays.
  const { tags, slot, endedSince, version } = filter;
  if (tags?.length || slot || endedSince || version) return plannedRead<RunRow>(ctx, query);
  return readRows<RunRow>(ctx.db, query);
}

/** Rides `run (project_id, created_at, id)`, or the one with the workflow or the status before. */
function listByStart(search: Search): Promise<RunRow[]> {
  const where = conditions(search);
  afterStart(where, search);
  const text = `select ${runColumns('run')} from run where ${where.text}
    order by ${byStart('run', search.order.dir)} limit ${where.parameter(search.wanted)}`;
  return fetchRows(search, where, text);
}

/** As `listByStart`, for runs in any of the given statuses: a bounded walk per status, merged. */
function mergeByStart(search: Search, statuses: readonly string[]): Promise<RunRow[]> {
  const where = conditions(search);
  afterStart(where, search);
  const { dir } = search.order;
  const wanted = where.parameter(search.wanted);
  const text = `select ${runColumns('r')} from unnest(${where.parameter(statuses)}::text[]) as each (status)
    cross join lateral (
      select * from run where run.status = each.status and ${where.text}
      order by ${byStart('run', dir)} limit ${wanted}
    ) r
    order by ${byStart('r', dir)} limit ${wanted}`;
  return fetchRows(search, where, text);
}

/**
 * Runs sorted by a column with few values: value by value, the runs of each by start, walked only
 * as far as the page needs. So a page of a project of millions reads about a page of rows.
 */
function listByGroup(
  search: Search,
  column: 'workflow' | 'app' | 'status',
  values: (project: string) => string,
): Promise<RunRow[]> {
  const where = conditions(search);
  const { after, order } = search;
  const { dir } = order;
  let groups = 'true';
  if (after) {
    const key = `${where.parameter(after.key)}::text`;
    groups = `each.key ${beyond(dir)}= ${key}`;
    // Continues after the last run in the group where the last page ended. Takes later groups
    // whole.
    const whole = `'${dir === 'asc' ? '-' : ''}infinity'::timestamptz`;
    const at = `case when each.key = ${key} then ${where.parameter(after.createdAt)}::timestamptz else ${whole} end`;
    where.add(`(run.created_at, run.id) ${beyond(dir)} (${at}, ${where.parameter(after.id)}::uuid)`);
  }
  const wanted = where.parameter(search.wanted);
  const text = `select ${runColumns('r')} from (
      select distinct key from (${values('project_id = $1::uuid')}) as named (key) order by key ${dir}
    ) each
    cross join lateral (
      select * from run where run.${column} = each.key and ${where.text}
      order by ${byStart('run', dir)} limit ${wanted}
    ) r
    where ${groups}
    order by each.key ${dir}, ${byStart('r', dir)} limit ${wanted}`;
  return fetchRows(search, where, text);
}

const duration = 'run.ended_at - coalesce(run.started_at, run.created_at)';

/** Finished runs by duration, then the unfinished, in either direction. */
async function listByDuration(search: Search): Promise<RunRow[]> {
  const finished = search.after?.key === null ? [] : await listFinished(search);
  const missing = search.wanted - finished.length;
  if (missing === 0) return finished;
  const after = search.after?.key === null ? search.after : undefined;
  return [...finished, ...(await mergeByStart({ ...search, after, wanted: missing }, openStatuses))];
}

/** Rides the expression index on the duration, with the id to break ties. */
function listFinished(search: Search): Promise<RunRow[]> {
  const where = conditions(search);
  const { after, order } = search;
  where.add('run.ended_at is not null');
  if (after) {
    const key = `${where.parameter(after.key)}::bigint * interval '1 millisecond'`;
    where.add(`(${duration}, run.id) ${beyond(order.dir)} (${key}, ${where.parameter(after.id)}::uuid)`);
  }
  const text = `select ${runColumns('run')} from run where ${where.text}
    order by ${duration} ${order.dir}, run.id ${order.dir} limit ${where.parameter(search.wanted)}`;
  return fetchRows(search, where, text);
}
