import { approvalStatuses, decisions } from '../../engine/approvals/index.ts';
import { payload, requiredWord } from '../declare/fields.ts';
import { cursor, oneOf, pageSize, text } from '../declare/parameters.ts';
import { documentRoute } from '../declare/route.ts';

const approvalRecord = /* GraphQL */ `
  fragment Approval on Approval {
    id runId workflow app step tool args risk policy summary context escalatesTo onTimeout status
    requestedAt expiresAt decidedAt decidedBy decidedVia editedArgs
  }`;

/** 4.7, newest first */
export const listApprovals = documentRoute({
  method: 'GET',
  path: '/approvals',
  scope: 'read',
  group: 'approvals',
  summary: 'Approvals, newest first; decided ones stay listed',
  parameters: {
    status: oneOf(approvalStatuses, 'One status; `pending` and `escalated` are open.'),
    runId: text('Approvals of one run.'),
    limit: pageSize(),
    cursor: cursor(),
  },
  document: /* GraphQL */ `
    query ListApprovals($status: ApprovalStatus, $runId: ID, $first: Int, $after: String) {
      approvals(status: $status, runId: $runId, first: $first, after: $after) {
        nodes { ...Approval }
        pageInfo { hasNextPage endCursor }
      }
    }
    ${approvalRecord}`,
  variables: ({ query: { limit, cursor, ...filter } }) => ({ ...filter, first: limit, after: cursor }),
  success: { status: 200, at: ['approvals', 'nodes'], page: ['approvals', 'pageInfo'] },
});

/** 4.7 */
export const getApproval = documentRoute({
  method: 'GET',
  path: '/approvals/{id}',
  scope: 'read',
  group: 'approvals',
  summary: 'One approval',
  document: /* GraphQL */ `
    query GetApproval($id: ID!) { approval(id: $id) { ...Approval } }
    ${approvalRecord}`,
  variables: ({ path }) => ({ id: path.id }),
  success: { status: 200, at: ['approval'], missing: 'approval not found' },
});

/** 4.7. Who decides follows from the key; the body cannot say. */
export const decideApproval = documentRoute({
  method: 'POST',
  path: '/approvals/{id}/decision',
  scope: 'write',
  group: 'approvals',
  summary: 'Approve or deny, and let the run go on',
  body: {
    required: true,
    fields: {
      status: requiredWord(decisions, 'The decision.'),
      args: payload('Arguments in place of those proposed. They come with an approval; a denial ignores them.'),
    },
  },
  document: /* GraphQL */ `
    mutation DecideApproval($input: DecideApprovalInput!) {
      decideApproval(input: $input) { approval { ...Approval } }
    }
    ${approvalRecord}`,
  variables: ({ path, body }) => ({ input: { id: path.id, ...body } }),
  success: { status: 200, at: ['decideApproval', 'approval'] },
  failures: [404, 409],
});
