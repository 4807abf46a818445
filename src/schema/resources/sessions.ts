import { pageSize, pageSizes } from '../../engine/paging/index.ts';
import { listSessions, type SessionRow, sessionSorts } from '../../engine/runs/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { inCapitals } from '../machinery/enums.ts';
import { readConnection } from '../machinery/fittingPage.ts';
import { NodeInterface } from './refs.ts';
import { RunStatusCountsType } from './runStats.ts';

/** The ids of sessions begin with it, those of other things do not. */
export const sessionPrefix = 'session:';

/** 4.4 */
export const SessionType = builder.objectRef<SessionRow>('Session').implement({
  description: 'The runs of one session. A run without a session is a session of its own, under its id.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.id({
      description: '`session:` and the name. It names the session whatever filters its list had.',
      resolve: ({ session }) => `${sessionPrefix}${session}`,
    }),
    session: t.exposeString('session'),
    runs: t.exposeInt('runs'),
    byStatus: t.expose('byStatus', { type: RunStatusCountsType }),
    apps: t.exposeStringList('apps', { description: 'The apps of its runs, by name.' }),
    workflows: t.exposeStringList('workflows', { description: 'The workflows of its runs, by name.' }),
    firstRunAt: t.expose('firstRunAt', { type: 'DateTime' }),
    lastRunAt: t.expose('lastRunAt', { type: 'DateTime' }),
    aiTokens: t.exposeFloat('aiTokens', {
      nullable: true,
      description: 'Input and output tokens; null if no run called a model.',
    }),
    aiCost: t.exposeFloat('aiCost', { nullable: true, description: 'In US dollars; null if no call has a price.' }),
  }),
});

/** A session of the caller's project over all its runs; null if there is none with that name. */
export async function findSession({ engine, projectId }: SchemaContext, session: string): Promise<SessionRow | null> {
  const { rows } = await listSessions(engine, { projectId, session, limit: 1 });
  return rows[0] ?? null;
}

const SessionConnection = builder.connectionObject(
  { type: SessionType, name: 'SessionConnection' },
  { name: 'SessionEdge' },
);

const SessionSortEnum = builder.enumType('SessionSort', { values: inCapitals(sessionSorts) });

builder.queryFields((t) => ({
  session: t.field({
    type: SessionType,
    nullable: true,
    description: 'One session over all its runs. Null if the project has none.',
    args: { id: t.arg.id({ required: true, description: 'The `id` of the session, or its name.' }) },
    resolve: (_root, { id }, context) =>
      findSession(context, id.startsWith(sessionPrefix) ? id.slice(sessionPrefix.length) : id),
  }),
  sessionPage: t.field({
    type: SessionConnection,
    description: 'Sessions: 100 by default, at most 500. Only runs that match the filters count.',
    args: {
      first: t.arg.int(),
      after: t.arg.string(),
      sort: t.arg({ type: SessionSortEnum, description: '`LATEST` unless given.' }),
      app: t.arg.string({ description: 'Only runs of this app count.' }),
      since: t.arg({ type: 'DateTime', description: 'Only runs created at or after this instant.' }),
    },
    resolve: (_root, { first, after, ...query }, { engine, projectId }) =>
      readConnection(
        { first, after },
        (part) => listSessions(engine, { projectId, ...query, ...part }),
        pageSizes.sessions,
      ),
  }),
  sessions: t.field({
    type: [SessionType],
    description: 'Most recent first: 100 by default, at most 500. Only runs that match the filters count.',
    args: {
      app: t.arg.string(),
      since: t.arg({ type: 'DateTime', description: 'Only runs created at or after this instant.' }),
      limit: t.arg.int(),
    },
    resolve: async (_root, { app, since, limit }, { engine, projectId }) => {
      const query = { projectId, app, since, limit: pageSize(limit, 'limit', pageSizes.sessions) };
      return (await listSessions(engine, query)).rows;
    },
  }),
}));
