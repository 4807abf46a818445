import { approvalSorts, approvalStatuses, decisions, maxReason } from '../../engine/approvals/index.ts';
import { optionalText, payload, requiredWord } from '../declare/fields.ts';
import { cursor, oneOf, pageSize, text } from '../declare/parameters.ts';
import { documentRoute } from '../declare/route.ts';

const approvalRecord = /* GraphQL */ `
  fragment Approval on Approval {
    id runId workflow app step tool args risk policy summary context escalatesTo onTimeout status
    requestedAt expiresAt decidedAt decidedBy decidedVia decisionReason editedArgs
  }`;

/** 4.7, newest first */
export const listApprovals = documentRoute({
  method: 'GET',
  path: '/approvals',
  scope: 'read',
  group: 'approvals',
  summary: 'List approvals, newest first, with decided ones',
  parameters: {
    status: oneOf(approvalStatuses, 'Only approvals of this status; `pending` and `escalated` are open.'),
    runId: text('Only approvals of this run.'),
    sort: oneOf(approvalSorts, 'The order; `deadline`: only open ones, the next deadline first. `newest` when absent.'),
    limit: pageSize(),
    cursor: cursor(),
  },
  document: /* GraphQL */ `
    query ListApprovals($status: ApprovalStatus, $runId: ID, $sort: ApprovalSort, $first: Int, $after: String) {
      approvals(status: $status, runId: $runId, sort: $sort, first: $first, after: $after) {
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
  summary: 'Get an approval',
  document: /* GraphQL */ `
    query GetApproval($id: ID!) { approval(id: $id) { ...Approval } }
    ${approvalRecord}`,
  variables: ({ path }) => ({ id: path.id }),
  success: { status: 200, at: ['approval'], missing: 'approval not found' },
});

/** 4.7. The key determines `decidedBy`; the body cannot. */
export const decideApproval = documentRoute({
  method: 'POST',
  path: '/approvals/{id}/decision',
  scope: 'write',
  group: 'approvals',
  summary: 'Approve or deny, and wake the run',
  body: {
    required: true,
    fields: {
      status: requiredWord(decisions, 'The decision.'),
      args: payload('Arguments that replace the proposed ones. A denial ignores them.'),
      reason: optionalText('Why, for the handler and for later readers.', maxReason),
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
