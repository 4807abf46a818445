import { type Conditions, type CursorPart, cursorParts, decodeCursor, encodeCursor } from '../../paging/index.ts';
import type { SessionRow } from './listSessions.ts';

// The sessions of a page, in two orders: each is SQL that ends with a table `chosen (key)`.

export const sessionSorts = ['latest', 'cost'] as const;
export type SessionSort = (typeof sessionSorts)[number];

/** A row with what its cursor needs. */
export type PlacedSession = SessionRow & { newestId: string };

export interface SessionOrder {
  /** Table expressions for the keys of a page, the cursor already applied. */
  keysSql(where: Conditions, page: { project: string; since: string | undefined; limit: string }): string;
  /** The same order, for the sessions of a page. */
  compare(one: PlacedSession, other: PlacedSession): number;
  cursorOf(row: PlacedSession): string;
}

/** The key of a run's session; of table `run`. */
export const sessionKey = 'coalesce(run.session, run.id::text)';
/** The rows of a part are read in it, so aggregates take them in it, too. */
const newestFirst = 'order by run.created_at desc, run.id desc';

/** Runs that are read at once. Fewer would make a page behind one long session slow. */
const partRows = 1_000;

const latestName = 'sessions.latest';

/**
 * `walked` reads back over `run (project_id, created_at, id)`, part by part, until the page has its
 * sessions: `keys` are the sessions of a part's runs, newest first, and `met` all sessions so far.
 * A walk from session to session would compare each run with all sessions before it. After a
 * cursor, the walk begins at its place, and leaves out sessions that have a run above it.
 */
export function latestFirst(after: string | undefined): SessionOrder {
  const place =
    after === undefined
      ? undefined
      : decodeCursor(latestName, after, [cursorParts.instant, cursorParts.id, cursorParts.text]);
  return {
    compare: (one, other) => +other.lastRunAt - +one.lastRunAt || (other.newestId > one.newestId ? 1 : -1),
    cursorOf: ({ lastRunAt, newestId, session }) => encodeCursor(latestName, [lastRunAt.getTime(), newestId, session]),
    keysSql(where, { project, limit }) {
      const condition = where.text;
      const at = place && `${where.parameter(new Date(place[0]))}::timestamptz`;
      const id = place && `${where.parameter(place[1])}::uuid`;
      const isUnseen = place
        ? ` and ${sessionKey} <> ${where.parameter(place[2])} and (run.session is null or not exists (
              select from run newer where newer.project_id = ${project} and newer.session = run.session
                and newer.created_at >= ${at} and (newer.created_at, newer.id) >= (${at}, ${id})))`
        : '';
      return `walked as (
      select ${at ?? `'infinity'::timestamptz`} as created_at, ${id ?? `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`} as id,
        0 as part, array[]::text[] as keys, array[]::text[] as met, true as has_more
      union all
      select read.created_at, read.id, walked.part + 1, read.keys,
        array(select unnest(walked.met) union select unnest(read.keys)), read.rows = ${partRows}
      from walked cross join lateral (
        select min(created_at) as created_at, (array_agg(id))[count(*)] as id, count(*) as rows,
          array_agg(key) as keys
        from (
          select run.created_at, run.id, ${sessionKey} as key from run
          where ${condition} and (run.created_at, run.id) < (walked.created_at, walked.id)${isUnseen}
          ${newestFirst} limit ${partRows}
        ) part
      ) read
      where walked.has_more and cardinality(walked.met) < ${limit}
    ),
    chosen as (
      select key from walked cross join lateral unnest(keys) with ordinality as met_at (key, place)
      group by key order by min(part::bigint * ${partRows} + place) limit ${limit}
    )`;
    },
  };
}

const costName = 'sessions.cost';
const figure: CursorPart<number> = (value): value is number => typeof value === 'number' && Number.isFinite(value);

/**
 * Sessions that called models, the dearest first, and those without a price by their tokens. Adds
 * up all calls of the window, which the index on their times finds.
 */
export function dearestFirst(after: string | undefined): SessionOrder {
  const place = after === undefined ? undefined : decodeCursor(costName, after, [figure, figure, cursorParts.text]);
  return {
    compare: (one, other) =>
      (other.aiCost ?? -1) - (one.aiCost ?? -1) ||
      (other.aiTokens ?? 0) - (one.aiTokens ?? 0) ||
      Buffer.compare(Buffer.from(other.session), Buffer.from(one.session)),
    cursorOf: ({ aiCost, aiTokens, session }) => encodeCursor(costName, [aiCost ?? -1, aiTokens ?? 0, session]),
    keysSql(where, { project, since, limit }) {
      const isBelow = place
        ? `where (coalesce(cost::float8, -1), tokens::float8, key collate "C") < (${where.parameter(place[0])}::float8,
          ${where.parameter(place[1])}::float8, ${where.parameter(place[2])}::text)`
        : '';
      return `billed as (
      select ${sessionKey} as key, sum(u.cost::numeric) as cost,
        coalesce(sum(u.tokens_in), 0) + coalesce(sum(u.tokens_out), 0) as tokens
      from ai_usage u join run on run.id = u.run_id
      where u.project_id = ${project}${since ? ` and u.created_at >= ${since}` : ''} and ${where.text}
      group by 1
    ),
    chosen as (
      select key from billed ${isBelow} order by cost desc nulls last, tokens desc, key collate "C" desc limit ${limit}
    )`;
    },
  };
}
