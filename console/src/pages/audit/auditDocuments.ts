import { graphql } from '../../data/graphql.ts';

export const auditDocument = graphql(`
  query ControlActions(
    $first: Int
    $after: String
    $action: ControlActionKind
    $actor: String
    $runId: ID
    $since: DateTime
    $until: DateTime
  ) {
    controlActions(
      first: $first
      after: $after
      action: $action
      actor: $actor
      runId: $runId
      since: $since
      until: $until
    ) {
      nodes {
        id
        action
        actor
        createdAt
        runId
        newRunId
        detail
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
