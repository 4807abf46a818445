import { graphql } from '../../data/graphql.ts';

export const sessionsDocument = graphql(`
  query Sessions($app: String, $since: DateTime, $sort: SessionSort, $after: String) {
    sessionPage(app: $app, since: $since, sort: $sort, after: $after, first: 50) {
      nodes {
        session
        runs
        apps
        workflows
        firstRunAt
        lastRunAt
        aiCost
        aiTokens
        byStatus {
          queued
          running
          waiting
          paused
          needsAttention
          succeeded
          failed
          cancelled
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const sessionDocument = graphql(`
  query SessionHead($id: ID!) {
    session(id: $id) {
      session
      runs
      apps
      workflows
      firstRunAt
      lastRunAt
      aiCost
      aiTokens
    }
  }
`);

export const sessionRunsDocument = graphql(`
  query SessionRuns($session: String!, $after: String) {
    runs(filter: { session: $session }, sort: STARTED, dir: ASC, first: 50, after: $after) {
      nodes {
        id
        app
        workflow
        status
        createdAt
        durationMs
        startedAt
        ai {
          calls
          tokens
          cost
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const aiStepsDocument = graphql(`
  query AiSteps($id: ID!) {
    run(id: $id) {
      id
      stepPage(first: 1000) {
        nodes {
          index
          attempt
          name
          status
          durationMs
          ai
        }
        pageInfo {
          hasNextPage
        }
      }
    }
  }
`);
