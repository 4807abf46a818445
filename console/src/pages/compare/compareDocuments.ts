import { graphql } from '../../data/graphql.ts';

/** A run beside another: all but its payloads, of which the beginnings tell whether they differ. */
export const comparedRunDocument = graphql(`
  query ComparedRun($id: ID!) {
    run(id: $id) {
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
      stepCount
      tags
      session
      runner
      replayOf
      error {
        name
        message
      }
      inputPayload {
        bytes
        head(bytes: 256)
      }
      resultPayload {
        bytes
        head(bytes: 256)
      }
    }
  }
`);

export const comparedStepsDocument = graphql(`
  query ComparedSteps($id: ID!, $first: Int, $after: String) {
    run(id: $id) {
      id
      stepPage(first: $first, after: $after) {
        nodes {
          index
          attempt
          name
          kind
          status
          startedAt
          durationMs
          inputPayload {
            bytes
            head(bytes: 256)
          }
          outputPayload {
            bytes
            head(bytes: 256)
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

export const openedStepDocument = graphql(`
  query OpenedStep($id: ID!, $index: Int!, $attempt: Int!) {
    run(id: $id) {
      id
      stepAt(index: $index, attempt: $attempt) {
        id
        error {
          name
          message
        }
        inputPayload {
          bytes
          head(bytes: 262144)
        }
        outputPayload {
          bytes
          head(bytes: 262144)
        }
      }
    }
  }
`);

export const openedRunDocument = graphql(`
  query OpenedRun($id: ID!) {
    run(id: $id) {
      id
      inputPayload {
        bytes
        head(bytes: 262144)
      }
      resultPayload {
        bytes
        head(bytes: 262144)
      }
    }
  }
`);

/** Runs that a person may want beside this one. */
export const candidatesDocument = graphql(`
  query CompareCandidates($id: ID!, $workflow: String!, $app: String!) {
    run(id: $id) {
      id
      original {
        ...Candidate
      }
      replays(limit: 5) {
        ...Candidate
      }
    }
    runs(first: 6, filter: { app: $app, workflow: $workflow, statuses: [SUCCEEDED] }) {
      nodes {
        ...Candidate
      }
    }
  }
  fragment Candidate on Run {
    id
    status
    createdAt
    startedAt
    durationMs
  }
`);
