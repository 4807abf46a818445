import { graphql } from '../../data/graphql.ts';

export const nowDocument = graphql(`
  query OverviewNow {
    runStats(filter: { statuses: [QUEUED, RUNNING, WAITING, PAUSED, NEEDS_ATTENTION] }) {
      byStatus {
        queued
        running
        waiting
        paused
        needsAttention
      }
    }
    runs(first: 1, filter: { statuses: [QUEUED] }, sort: STARTED, dir: ASC) {
      nodes {
        id
        createdAt
      }
    }
  }
`);

export const holdsDocument = graphql(`
  query OverviewHolds {
    flowState {
      concurrency {
        inUse
        limit
      }
      budgets {
        app
        workflow
        cost
        maxCost
        tokens
        maxTokens
        paused
      }
    }
    runners {
      live
    }
    approvalStats {
      open
      isCapped
    }
  }
`);

export const seriesDocument = graphql(`
  query OverviewSeries($since: DateTime, $bucket: Int) {
    runTimeseries(since: $since, bucket: $bucket) {
      bucket
      total
      p50Ms
      p95Ms
      byStatus {
        succeeded
        failed
        cancelled
        queued
        running
        waiting
        paused
        needsAttention
      }
    }
  }
`);

export const workflowsDocument = graphql(`
  query OverviewWorkflows($filter: RunFilter) {
    runStatsBy(by: WORKFLOW, filter: $filter, limit: 100) {
      app
      workflow
      total
      p95Ms
      byStatus {
        failed
        succeeded
      }
    }
  }
`);

export const deploysDocument = graphql(`
  query OverviewDeploys($filter: RunFilter) {
    runStatsBy(by: VERSION, filter: $filter, limit: 200) {
      app
      workflow
      version
      first
    }
  }
`);

export const failuresDocument = graphql(`
  query OverviewFailures($filter: RunFilter) {
    failureGroups(filter: $filter, limit: 10) {
      examined
      isCapped
      groups {
        errorGroup
        count
        workflows
        first
        last
        error {
          name
          message
        }
        sample {
          id
          workflow
        }
      }
    }
  }
`);

export const troublesDocument = graphql(`
  query OverviewTroubles {
    workflowPage(first: 200) {
      nodes {
        app
        name
        schedules {
          cron
          isStale
        }
      }
    }
    webhookEndpointStats {
      endpointId
      failed
      dead
      exhausted
      total
    }
  }
`);
