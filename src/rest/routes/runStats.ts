import { bucketWidth, tagFilters, text, timestamp } from '../declare/parameters.ts';
import { documentRoute } from '../declare/route.ts';

/** The number of runs by status, under the contract's names (3.1). */
export const statusCounts = /* GraphQL */ `
  fragment StatusCounts on RunStatusCounts {
    queued running waiting paused needs_attention: needsAttention succeeded failed cancelled
  }`;

/** 4.4 */
export const getRunStats = documentRoute({
  method: 'GET',
  path: '/runs/stats',
  scope: 'read',
  group: 'runs',
  summary: 'Count runs by status, with the median and 95th percentile of their durations',
  parameters: {
    app: text('Only runs of this app.'),
    workflow: text('Only runs of this workflow.'),
    replayOf: text('Only runs forked from this run.'),
    parentRunId: text('Only direct children of this run.'),
    tag: tagFilters,
    since: timestamp('Only runs created at or after this time.'),
  },
  document: /* GraphQL */ `
    query GetRunStats($filter: RunFilter) {
      runStats(filter: $filter) { ...RunStats }
    }
    fragment RunStats on RunStats {
      total byStatus { ...StatusCounts } p50Ms p95Ms
    }
    ${statusCounts}`,
  variables: ({ query: { tag, ...filter } }) => ({ filter: { ...filter, ...(tag.length > 0 && { tags: tag }) } }),
  success: { status: 200, at: ['runStats'] },
});

/** 4.4, oldest first */
export const listRunBuckets = documentRoute({
  method: 'GET',
  path: '/runs/timeseries',
  scope: 'read',
  group: 'runs',
  summary: 'Count runs by status in time buckets',
  parameters: {
    app: text('Only runs of this app.'),
    workflow: text('Only runs of this workflow.'),
    since: timestamp('Only runs created at or after this time.'),
    bucket: bucketWidth,
  },
  document: /* GraphQL */ `
    query ListRunBuckets($app: String, $workflow: String, $since: DateTime, $bucket: Int) {
      runTimeseries(app: $app, workflow: $workflow, since: $since, bucket: $bucket) { ...RunBucket }
    }
    fragment RunBucket on RunBucket {
      bucket total byStatus { ...StatusCounts } avgMs p50Ms p95Ms
    }
    ${statusCounts}`,
  variables: ({ query }) => query,
  success: { status: 200, at: ['runTimeseries'] },
});
