import { graphql } from '../../data/graphql.ts';

export const stepsDocument = graphql(`
  query RunSteps($id: ID!, $first: Int, $after: String) {
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
          endedAt
          durationMs
          willRetry
          nextAttemptAt
          runAfter
          eventName
          childRunId
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

export const framesDocument = graphql(`
  subscription RunFrames($runId: ID!, $from: Int, $kinds: [FrameKind!]) {
    runFrames(runId: $runId, from: $from, kinds: $kinds) {
      seq
      kind
      index
      attempt
      step
      status
      ts
      durationMs
      willRetry
      nextAttemptAt
    }
  }
`);

export const wholeStepDocument = graphql(`
  query WholeStepPayloads($id: ID!, $index: Int!, $attempt: Int!) {
    run(id: $id) {
      id
      stepAt(index: $index, attempt: $attempt) {
        id
        inputPayload {
          text
        }
        outputPayload {
          text
        }
      }
    }
  }
`);

export const stepDocument = graphql(`
  query RunStep($id: ID!, $index: Int!) {
    run(id: $id) {
      id
      stepPage(first: 100, index: $index) {
        nodes {
          index
          attempt
          name
          kind
          status
          startedAt
          endedAt
          durationMs
          willRetry
          nextAttemptAt
          runAfter
          eventName
          childRunId
          inputPayload {
            bytes
            head(bytes: 262144)
          }
          outputPayload {
            bytes
            head(bytes: 262144)
          }
          eventIf
          ai
          error {
            name
            message
            stack
          }
          approval {
            id
            tool
            status
          }
          delivery {
            id
            status
            url
          }
          emittedEvent {
            id
            name
          }
        }
      }
    }
  }
`);

/** The first steps of a child that unfolds below the step that started it. */
export const childStepsDocument = graphql(`
  query ChildSteps($id: ID!) {
    run(id: $id) {
      id
      status
      stepPage(first: 100) {
        nodes {
          index
          attempt
          name
          kind
          status
          startedAt
          endedAt
          durationMs
          willRetry
          nextAttemptAt
          childRunId
        }
        pageInfo {
          hasNextPage
        }
      }
    }
  }
`);

/** Why each attempt of a step ended, without the payloads. */
export const attemptsDocument = graphql(`
  query StepAttempts($id: ID!, $index: Int!) {
    run(id: $id) {
      id
      status
      stepPage(first: 1000, index: $index) {
        nodes {
          attempt
          error {
            name
            message
          }
        }
      }
    }
  }
`);
