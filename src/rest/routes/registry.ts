import { text } from '../declare/parameters.ts';
import { documentRoute } from '../declare/route.ts';

/** 4.9 */
export const listApps = documentRoute({
  method: 'GET',
  path: '/apps',
  scope: 'read',
  group: 'runners',
  summary: 'List all apps, by name',
  document: /* GraphQL */ `
    query ListApps($first: Int, $after: String) {
      appPage(first: $first, after: $after) { nodes { ...App } pageInfo { hasNextPage endCursor } }
    }
    fragment App on App { name createdAt }`,
  success: { status: 200, at: ['appPage', 'nodes'], page: ['appPage', 'pageInfo'], whole: true },
});

/** 4.9. Lists runners that are not live, too. */
export const listRunners = documentRoute({
  method: 'GET',
  path: '/runners',
  scope: 'read',
  group: 'runners',
  summary: 'List all runners, live or not',
  parameters: { app: text('Only runners of this app.') },
  document: /* GraphQL */ `
    query ListRunners($app: String, $first: Int, $after: String) {
      runnerPage(app: $app, first: $first, after: $after) { nodes { ...Runner } pageInfo { hasNextPage endCursor } }
    }
    fragment Runner on Runner {
      runnerId app url framework runtime language sdkName version region maxInFlight workflows lastSeenAt live
    }`,
  variables: ({ query }) => ({ app: query.app }),
  success: { status: 200, at: ['runnerPage', 'nodes'], page: ['runnerPage', 'pageInfo'], whole: true },
});
