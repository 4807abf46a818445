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
  summary: 'Conversations: runs by session, most recent first',
  parameters: {
    app: text('Runs of one app.'),
    since: timestamp('Runs created at or after this instant.'),
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
