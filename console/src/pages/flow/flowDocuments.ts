import { graphql } from '../../data/graphql.ts';

export const flowDocument = graphql(`
  query Flow($app: String, $workflow: String) {
    flowState(app: $app, workflow: $workflow) {
      concurrency {
        inUse
        limit
      }
      scopes {
        app
        workflow
        key
        inUse
        limit
        waiting
      }
      throttle {
        app
        workflow
        key
        delayed
        nextStartAt
      }
      tokenThrottle {
        app
        workflow
        key
        available
        nextStartAt
      }
      buffers {
        app
        workflow
        key
        policy
        items
        since
        dueAt
        runner
      }
      singletons {
        app
        workflow
        runId
        since
      }
      budgets {
        ...BudgetRow
      }
      inference {
        provider
        model
        inFlight
        limit
        waiting
        heldFor
        heldUntil
        keyFrom
      }
    }
  }
  fragment BudgetRow on FlowBudgetState {
    app
    workflow
    cost
    maxCost
    tokens
    maxTokens
    windowMs
    paused
    warnedAt
    exceededAt
    resumesAt
  }
`);

export const shedDocument = graphql(`
  query FlowShed($app: String, $workflow: String, $since: DateTime!) {
    flowState(app: $app, workflow: $workflow) {
      shed(since: $since) {
        app
        workflow
        matched
        deduped
        skipped
        dropped
        debounced
        batched
      }
    }
  }
`);

export const scopeRunsDocument = graphql(`
  query ScopeRuns($scope: ScopeFilter!) {
    runs(filter: { scope: $scope }, first: 50, sort: STATUS, dir: ASC) {
      nodes {
        id
        status
        workflow
        createdAt
        startedAt
        tags
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);
