import { graphql } from '../../data/graphql.ts';

export const pauseDocument = graphql(`
  mutation PauseRun($id: ID!) {
    pauseRun(input: { runId: $id }) {
      run {
        id
        status
      }
    }
  }
`);

export const resumeDocument = graphql(`
  mutation ResumeRun($id: ID!) {
    resumeRun(input: { runId: $id }) {
      run {
        id
        status
      }
    }
  }
`);

export const cancelDocument = graphql(`
  mutation CancelRun($id: ID!) {
    cancelRun(input: { runId: $id }) {
      run {
        id
        status
      }
    }
  }
`);

export const replayDocument = graphql(`
  mutation ReplayRun($input: ReplayRunInput!) {
    replayRun(input: $input) {
      run {
        id
      }
    }
  }
`);

export const retryFromStepDocument = graphql(`
  mutation RetryRunFromStep($id: ID!, $step: String!) {
    retryRunFromStep(input: { runId: $id, step: $step }) {
      run {
        id
      }
    }
  }
`);
