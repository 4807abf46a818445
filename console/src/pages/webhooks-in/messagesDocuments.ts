import { graphql } from '../../data/graphql.ts';

export const messagesDocument = graphql(`
  query WebhookSourceDeliveries($first: Int, $after: String, $source: ID, $status: WebhookSourceDeliveryStatus) {
    webhookSourceDeliveries(first: $first, after: $after, source: $source, status: $status) {
      nodes {
        id
        status
        failureReason
        createdAt
        eventId
        runId
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const messageDocument = graphql(`
  query WebhookSourceDelivery($id: ID!) {
    webhookSourceDelivery(id: $id) {
      id
      source
      status
      failureReason
      createdAt
      eventId
      runId
      requestHeaders
      attempts {
        id
        trigger
        status
        actor
        createdAt
        eventId
        runId
      }
    }
  }
`);

export const messageBodyDocument = graphql(`
  query WebhookSourceDeliveryBody($id: ID!) {
    webhookSourceDelivery(id: $id) {
      body
      bodyEncoding
    }
  }
`);

export const replayMessageDocument = graphql(`
  mutation ReplaySourceDelivery($input: ReplaySourceDeliveryInput!) {
    replaySourceDelivery(input: $input) {
      status
    }
  }
`);
