import { controlActions } from '../../engine/audit/index.ts';
import { cursor, oneOf, pageSize, text } from '../declare/parameters.ts';
import { documentRoute } from '../declare/route.ts';

/** 2.13, 4.6, newest first */
export const listControlActions = documentRoute({
  method: 'GET',
  path: '/control-actions',
  scope: 'read',
  group: 'runs',
  summary: 'List the audit log, newest first',
  parameters: {
    action: oneOf(controlActions, 'Only actions of this kind.'),
    runId: text('Only actions on this run, and the action that created it.'),
    limit: pageSize(),
    cursor: cursor(),
  },
  document: /* GraphQL */ `
    query ListControlActions($action: ControlActionKind, $runId: ID, $first: Int, $after: String) {
      controlActions(action: $action, runId: $runId, first: $first, after: $after) {
        nodes { ...ControlAction }
        pageInfo { hasNextPage endCursor }
      }
    }
    fragment ControlAction on ControlAction { id action runId newRunId actor detail createdAt }`,
  variables: ({ query: { limit, cursor, ...filter } }) => ({ ...filter, first: limit, after: cursor }),
  success: { status: 200, at: ['controlActions', 'nodes'], page: ['controlActions', 'pageInfo'] },
});
