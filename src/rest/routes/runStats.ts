import { bucketWidth, tagFilters, text, timestamp } from '../declare/parameters.ts';
import { documentRoute } from '../declare/route.ts';

/** How many runs have each status, under the contract's names for them (3.1). */
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
  summary: 'How many runs there are, by status, and how long they took',
  parameters: {
    app: text('Runs of one app.'),
    workflow: text('Runs of one workflow.'),
    replayOf: text('Runs forked from one run.'),
    parentRunId: text('Direct children of one run.'),
    tag: tagFilters,
    since: timestamp('Runs created at or after this instant.'),
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
  summary: 'The same by time, in buckets',
  parameters: {
    app: text('Runs of one app.'),
    workflow: text('Runs of one workflow.'),
    since: timestamp('Runs created at or after this instant.'),
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
