import { graphql } from '../../data/graphql.ts';

export const runsDocument = graphql(`
  query Runs($first: Int, $after: String, $filter: RunFilter, $sort: RunSort, $dir: SortDirection) {
    runs(first: $first, after: $after, filter: $filter, sort: $sort, dir: $dir) {
      nodes {
        id
        app
        workflow
        version
        status
        createdAt
        startedAt
        endedAt
        durationMs
        attempt
        tags
        error {
          name
          message
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const runStatusChangesDocument = graphql(`
  subscription RunStatusChanges($app: String, $workflow: String, $after: String) {
    runStatusChanges(app: $app, workflow: $workflow, after: $after, intervalMs: 100) {
      changes {
        runId
        status
        ts
      }
      cursor
      isGap
    }
  }
`);
