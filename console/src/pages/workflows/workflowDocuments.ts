import { graphql } from '../../data/graphql.ts';

export const workflowListDocument = graphql(`
  query Workflows($app: String, $first: Int, $after: String) {
    workflowPage(app: $app, first: $first, after: $after) {
      nodes {
        app
        name
        retiredAt
        triggers {
          event
          cron
          if
        }
        schedules {
          cron
          nextFireAt
          isStale
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const workflowRatesDocument = graphql(`
  query WorkflowRates($filter: RunFilter) {
    runStatsBy(by: WORKFLOW, filter: $filter, limit: 1000) {
      app
      workflow
      total
      byStatus {
        failed
        succeeded
      }
    }
  }
`);

export const workflowDocument = graphql(`
  query Workflow($app: String!, $name: String!) {
    workflow(app: $app, name: $name) {
      app
      name
      version
      registeredAt
      updatedAt
      retiredAt
      retiredBy
      maxAttempts
      backoff
      maxDuration
      onFailure
      triggers {
        event
        cron
        if
      }
      cancelOn {
        event
        if
      }
      schedules {
        cron
        nextFireAt
        lastFiredAt
        isStale
        upcoming(count: 5)
      }
      steps {
        name
        description
        hidden
      }
      flowControl {
        concurrency {
          limit
          key
        }
        throttle {
          limit
          perMs
          key
        }
        rateLimit {
          limit
          perMs
          key
        }
        debounce {
          periodMs
          key
        }
        batch {
          maxSize
          timeoutMs
          key
        }
        singleton {
          key
          mode
        }
        idempotency {
          key
          periodMs
        }
        priority {
          shiftMs
        }
        cap {
          maxCost
          maxTokens
        }
        budget {
          maxCost
          maxTokens
          windowMs
        }
        tokenThrottle {
          tokens
          perMs
          key
        }
      }
    }
  }
`);

export const versionsDocument = graphql(`
  query WorkflowVersions($app: String!, $name: String!) {
    workflow(app: $app, name: $name) {
      version
      versions(limit: 50) {
        version
        registeredAt
      }
    }
  }
`);

/** A version of the definition; with two, also the one before it. */
export const definitionDocument = graphql(`
  query WorkflowDefinition($app: String!, $name: String!, $version: String!, $limit: Int!) {
    workflow(app: $app, name: $name) {
      versions(from: $version, limit: $limit) {
        version
        definition {
          bytes
          text
        }
      }
    }
  }
`);

export const workflowRunsDocument = graphql(`
  query WorkflowRuns($filter: RunFilter) {
    runs(first: 10, filter: $filter) {
      nodes {
        id
        status
        createdAt
        startedAt
        durationMs
        version
      }
    }
  }
`);

export const latestInputDocument = graphql(`
  query LatestInput($filter: RunFilter) {
    runs(first: 1, filter: $filter) {
      nodes {
        id
        inputPayload {
          text
        }
      }
    }
  }
`);

export const triggerDocument = graphql(`
  mutation TriggerWorkflow($input: TriggerWorkflowInput!) {
    triggerWorkflow(input: $input) {
      app
      workflow
      runId
      existingRunId
      deduped
      dropped
      skipped
      debounced
      batched
    }
  }
`);
