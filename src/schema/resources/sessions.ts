import { pageSize, pageSizes } from '../../engine/paging/index.ts';
import { listSessions, type SessionRow } from '../../engine/runs/index.ts';
import { builder } from '../machinery/builder.ts';
import { RunStatusCountsType } from './runStats.ts';

/** 4.4 */
const SessionType = builder.objectRef<SessionRow>('Session').implement({
  description: 'A conversation: the runs of one session. A run that has none is a session by itself, under its own id.',
  fields: (t) => ({
    session: t.exposeString('session'),
    runs: t.exposeInt('runs'),
    byStatus: t.expose('byStatus', { type: RunStatusCountsType }),
    apps: t.exposeStringList('apps', { description: 'Apps of its runs, by name.' }),
    workflows: t.exposeStringList('workflows', { description: 'Workflows of its runs, by name.' }),
    firstRunAt: t.expose('firstRunAt', { type: 'DateTime' }),
    lastRunAt: t.expose('lastRunAt', { type: 'DateTime' }),
    aiTokens: t.exposeFloat('aiTokens', {
      nullable: true,
      description: 'Tokens in and out; null where no run called a model.',
    }),
    aiCost: t.exposeFloat('aiCost', { nullable: true, description: 'US dollars; null where no call was priced.' }),
  }),
});

builder.queryField('sessions', (t) =>
  t.field({
    type: [SessionType],
    description: 'Most recent first: 100 by default, at most 500. Only runs that pass the filters count.',
    args: {
      app: t.arg.string(),
      since: t.arg({ type: 'DateTime', description: 'Runs created at or after it.' }),
      limit: t.arg.int(),
    },
    resolve: (_root, { app, since, limit }, { engine, projectId }) =>
      listSessions(engine, { projectId, app, since, limit: pageSize(limit, 'limit', pageSizes.sessions) }),
  }),
);
