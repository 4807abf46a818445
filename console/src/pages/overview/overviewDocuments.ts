import { graphql } from '../../data/graphql.ts';

export const nowDocument = graphql(`
  query OverviewNow {
    runStats(filter: { statuses: [QUEUED, RUNNING, WAITING, PAUSED, NEEDS_ATTENTION] }, maxAge: 4) {
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
  query OverviewSeries($since: DateTime, $bucket: Int, $maxAge: Int) {
    runTimeseries(since: $since, bucket: $bucket, maxAge: $maxAge) {
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

/** The largest versions. The chart marks their first runs, and their workflows may be failing. */
export const versionsDocument = graphql(`
  query OverviewVersions($filter: RunFilter, $maxAge: Int) {
    runStatsBy(by: VERSION, filter: $filter, limit: 1000, maxAge: $maxAge) {
      app
      workflow
      version
      first
      byStatus {
        failed
        succeeded
      }
    }
  }
`);

export const failuresDocument = graphql(`
  query OverviewFailures($filter: RunFilter, $maxAge: Int) {
    failureGroups(filter: $filter, limit: 10, maxAge: $maxAge) {
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
