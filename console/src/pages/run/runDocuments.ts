import { graphql } from '../../data/graphql.ts';

export const runDocument = graphql(`
  query Run($id: ID!) {
    run(id: $id) {
      id
      seq
      app
      workflow
      version
      status
      createdAt
      startAt
      startedAt
      endedAt
      expiresAt
      durationMs
      attempt
      stepCount
      tags
      session
      runner
      triggerKind
      eventId
      eventName
      parentRunId
      parentStep
      replayOf
      onFailureOf
      error {
        name
        message
        stack
      }
      ai {
        calls
        tokens
        cost
      }
      waiting {
        ...WaitFields
        ... on ChildWait {
          because {
            ...WaitFields
          }
        }
      }
      diagnosis {
        verdict
        summary
        cancellation {
          by
          actor
          eventId
          runId
        }
      }
    }
  }
  fragment WaitFields on RunWait {
    __typename
    kind
    since
    until
    step {
      index
      attempt
      name
    }
    ... on ConcurrencyWait {
      key
      limit
      inUse
      holders
      ahead
      isMoreAhead
    }
    ... on CeilingWait {
      limit
      inUse
      holders
      ahead
      isMoreAhead
    }
    ... on StartWait {
      policy
      key
    }
    ... on RunnerWait {
      app
      workflow
      runner
      lack
      live
      registered
      inUse
      limit
      ahead
      isMoreAhead
    }
    ... on TransportWait {
      failures
      maxFailures
      error {
        message
      }
    }
    ... on RetryWait {
      nextAttempt
      maxAttempts
      error {
        name
        message
      }
    }
    ... on EventWait {
      eventName
      guard
      refused {
        id
        receivedAt
      }
    }
    ... on ChildWait {
      childRunId
      childStatus
      path
    }
    ... on ApprovalWait {
      approvalId
      tool
      risk
      isEscalated
      onTimeout
    }
    ... on InferenceWait {
      isCapped
      isInFlight
      nextSendAt
      lane {
        provider
        model
        inFlight
        limit
        waiting
        heldUntil
        heldFor
      }
    }
    ... on PausedWait {
      reason
      actor
      budget {
        maxCost
        maxTokens
        windowMs
      }
    }
    ... on DispatcherWait {
      alive
    }
  }
`);

export const relationsDocument = graphql(`
  query RunRelations($id: ID!) {
    run(id: $id) {
      id
      parent {
        ...RelatedRun
      }
      root {
        ...RelatedRun
      }
      original {
        ...RelatedRun
      }
      failureHandler {
        ...RelatedRun
      }
      startedRuns(limit: 100) {
        ...RelatedRun
      }
      children(limit: 100) {
        ...RelatedRun
      }
      replays(limit: 100) {
        ...RelatedRun
      }
      events(limit: 50) {
        id
        name
        receivedAt
      }
      approvals(limit: 50) {
        id
        tool
        status
        requestedAt
      }
      deliveries(limit: 50) {
        id
        url
        status
        createdAt
      }
    }
  }
  fragment RelatedRun on Run {
    id
    app
    workflow
    status
    createdAt
    startedAt
    durationMs
  }
`);

export const historyDocument = graphql(`
  query RunHistory($id: ID!) {
    controlActions(runId: $id, first: 100) {
      nodes {
        id
        action
        actor
        createdAt
        newRunId
        detail
      }
    }
  }
`);

/** Log lines from the last one back. */
export const logsDocument = graphql(`
  query RunLogs($id: ID!, $after: Int, $size: Int, $levels: [LogLevel!], $q: String, $scope: String) {
    run(id: $id) {
      id
      logPage(before: $after, last: $size, levels: $levels, q: $q, scope: $scope) {
        nextBefore
        nextFrom
        nodes {
          seq
          ts
          level
          scope
          attempt
          message
          fields
        }
      }
    }
  }
`);

/** Log lines from the first one on. */
export const firstLogsDocument = graphql(`
  query RunFirstLogs($id: ID!, $after: Int, $size: Int, $levels: [LogLevel!], $q: String, $scope: String) {
    run(id: $id) {
      id
      logPage(from: $after, limit: $size, levels: $levels, q: $q, scope: $scope) {
        nextBefore
        nextFrom
        nodes {
          seq
          ts
          level
          scope
          attempt
          message
          fields
        }
      }
    }
  }
`);
