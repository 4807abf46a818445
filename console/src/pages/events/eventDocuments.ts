import { graphql } from '../../data/graphql.ts';

export const eventsDocument = graphql(`
  query Events(
    $first: Int
    $after: String
    $name: String
    $app: String
    $session: String
    $since: DateTime
    $tags: [TagFilter!]
    $unmatchedOnly: Boolean
  ) {
    events(
      first: $first
      after: $after
      name: $name
      app: $app
      session: $session
      since: $since
      tags: $tags
      unmatchedOnly: $unmatchedOnly
    ) {
      nodes {
        id
        name
        app
        receivedAt
        source
        suspended
        tags
        woke
        triggered {
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
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const eventIngestedDocument = graphql(`
  subscription EventIngested($name: String, $app: String) {
    eventIngested(name: $name, app: $app) {
      id
    }
  }
`);

export const eventDocument = graphql(`
  query Event($id: ID!) {
    event(id: $id) {
      id
      name
      app
      receivedAt
      source
      sourceRunId
      suspended
      tags
      session
      dedupeId
      targetApp
      runner
      headers
      woke
      wokeRuns
      dataPayload {
        bytes
        head(bytes: 262144)
      }
      triggered {
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
  }
`);

export const eventDataDocument = graphql(`
  query EventData($id: ID!) {
    event(id: $id) {
      id
      name
      app
      tags
      session
      targetApp
      dataPayload {
        text
      }
    }
  }
`);

export const sendEventDocument = graphql(`
  mutation SendEvent($input: SendEventInput!) {
    sendEvent(input: $input) {
      eventId
      deduped
      suspended
      woke
      triggered {
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
  }
`);
