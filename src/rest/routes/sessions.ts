import { pageSizes } from '../../engine/paging/index.ts';
import { pageSize, text, timestamp } from '../declare/parameters.ts';
import { documentRoute } from '../declare/route.ts';
import { statusCounts } from './runStats.ts';

/** 4.4, most recent first */
export const listSessions = documentRoute({
  method: 'GET',
  path: '/sessions',
  scope: 'read',
  group: 'runs',
  summary: 'List sessions (conversations), the most recently active first',
  parameters: {
    app: text('Only runs of this app.'),
    since: timestamp('Only runs created at or after this time.'),
    limit: pageSize(pageSizes.sessions),
  },
  document: /* GraphQL */ `
    query ListSessions($app: String, $since: DateTime, $limit: Int) {
      sessions(app: $app, since: $since, limit: $limit) { ...Session }
    }
    fragment Session on Session {
      session runs
      byStatus { ...StatusCounts }
      apps workflows firstRunAt lastRunAt aiTokens aiCost
    }
    ${statusCounts}`,
  variables: ({ query }) => query,
  success: { status: 200, at: ['sessions'] },
});
