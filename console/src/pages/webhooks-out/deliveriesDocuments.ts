import { graphql } from '../../data/graphql.ts';

export const deliveriesDocument = graphql(`
  query WebhookDeliveries(
    $first: Int
    $after: String
    $endpointId: ID
    $eventKind: WebhookDeliveryKind
    $statuses: [WebhookDeliveryStatus!]
    $since: DateTime
    $until: DateTime
    $app: String
    $runId: ID
  ) {
    webhookDeliveries(
      first: $first
      after: $after
      endpointId: $endpointId
      eventKind: $eventKind
      statuses: $statuses
      since: $since
      until: $until
      app: $app
      runId: $runId
    ) {
      nodes {
        id
        url
        app
        eventKind
        status
        isTest
        createdAt
        attemptCount
        maxAttempts
        lastStatusCode
        nextAttemptAt
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const deliveryDocument = graphql(`
  query WebhookDelivery($id: ID!) {
    webhookDelivery(id: $id) {
      id
      url
      app
      endpointId
      eventKind
      status
      isTest
      createdAt
      updatedAt
      attemptCount
      maxAttempts
      lastStatusCode
      nextAttemptAt
      sourceRunId
      attempts(limit: 100) {
        id
        attempt
        createdAt
        durationMs
        outcome
        statusCode
        error
        requestHeaders
        responseHeaders
        responseSnippet
      }
    }
  }
`);

export const deliveryPayloadDocument = graphql(`
  query WebhookDeliveryPayload($id: ID!) {
    webhookDelivery(id: $id) {
      payload
    }
  }
`);

export const deliveryChangedDocument = graphql(`
  subscription WebhookDeliveryChanged($endpointId: ID) {
    webhookDeliveryChanged(endpointId: $endpointId) {
      id
      status
    }
  }
`);

export const redeliverDocument = graphql(`
  mutation RedeliverWebhook($input: RedeliverWebhookInput!) {
    redeliverWebhook(input: $input) {
      webhookDelivery {
        id
        status
      }
    }
  }
`);

export const redeliverPreviewDocument = graphql(`
  query RedeliverPreview($input: RedeliverWebhooksInput!) {
    redeliverPreview(input: $input) {
      count
      matched
      skipped
      capped
      until
      byStatus {
        pending
        failed
        exhausted
        dead
        succeeded
      }
      sample {
        id
        status
        eventKind
        url
        createdAt
      }
    }
  }
`);

export const redeliverManyDocument = graphql(`
  mutation RedeliverWebhooks($input: RedeliverWebhooksInput!) {
    redeliverWebhooks(input: $input) {
      redelivered
      matched
      skipped
      capped
    }
  }
`);
