import { graphql } from '../../data/graphql.ts';

export const approvalsDocument = graphql(`
  query Approvals(
    $first: Int
    $after: String
    $isOpen: Boolean
    $status: ApprovalStatus
    $risk: String
    $app: String
    $workflow: String
    $runId: ID
    $sort: ApprovalSort
  ) {
    approvals(
      first: $first
      after: $after
      isOpen: $isOpen
      status: $status
      risk: $risk
      app: $app
      workflow: $workflow
      runId: $runId
      sort: $sort
    ) {
      nodes {
        id
        app
        workflow
        tool
        summary
        risk
        status
        requestedAt
        expiresAt
        onTimeout
        escalatesTo
        decidedAt
        decidedBy
        decidedVia
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const approvalStatsDocument = graphql(`
  query ApprovalStats {
    approvalStats {
      open
      isCapped
      byRisk {
        risk
        count
      }
    }
  }
`);

export const approvalChangedDocument = graphql(`
  subscription ApprovalChanged {
    approvalChanged {
      id
      status
    }
  }
`);
