import { graphql } from '../../data/graphql.ts';

export const approvalDocument = graphql(`
  query Approval($id: ID!) {
    approval(id: $id) {
      id
      app
      workflow
      tool
      summary
      context
      policy
      risk
      status
      step
      requestedAt
      expiresAt
      onTimeout
      escalatesTo
      decidedAt
      decidedBy
      decidedVia
      decisionReason
      runId
      argsPayload {
        bytes
      }
      editedArgsPayload {
        bytes
      }
    }
  }
`);

export const approvalArgsDocument = graphql(`
  query ApprovalArgs($id: ID!) {
    approval(id: $id) {
      argsPayload {
        text
      }
      editedArgsPayload {
        text
      }
    }
  }
`);

export const approvalRunDocument = graphql(`
  query ApprovalRun($id: ID!) {
    run(id: $id) {
      id
      status
      startedAt
      endedAt
      durationMs
      stepCount
      stepPage(first: 50) {
        nodes {
          id
          index
          attempt
          name
          status
          startedAt
          durationMs
        }
      }
    }
  }
`);

export const decideApprovalDocument = graphql(`
  mutation DecideApproval($input: DecideApprovalInput!) {
    decideApproval(input: $input) {
      approval {
        id
        status
      }
    }
  }
`);
