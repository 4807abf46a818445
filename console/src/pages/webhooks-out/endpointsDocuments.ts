import { graphql } from '../../data/graphql.ts';

export const endpointsDocument = graphql(`
  query WebhookEndpoints($since: DateTime, $bucket: Int) {
    webhookEndpoints(first: 1000) {
      nodes {
        id
        name
        url
        app
        enabled
        disabledAt
      }
    }
    webhookEndpointStats(since: $since, bucket: $bucket) {
      endpointId
      total
      attempts
      failedAttempts
      succeeded
      p95Ms
      lastAttemptAt
      lastStatusCode
      buckets {
        bucket
        attempts
        failedAttempts
        succeeded
      }
    }
  }
`);

export const endpointDocument = graphql(`
  query WebhookEndpoint($id: ID!) {
    webhookEndpoint(id: $id) {
      id
      name
      url
      app
      enabled
      disabledAt
      eventKinds
      scheme
      createdAt
      updatedAt
      previousSecretUntil
    }
  }
`);

export const endpointStatsDocument = graphql(`
  query WebhookEndpointStats($id: ID!, $since: DateTime, $bucket: Int) {
    webhookEndpointStats(endpointId: $id, since: $since, bucket: $bucket) {
      endpointId
      total
      attempts
      failedAttempts
      pending
      failed
      succeeded
      exhausted
      dead
      p50Ms
      p95Ms
      lastAttemptAt
      lastStatusCode
      buckets {
        bucket
        attempts
        failedAttempts
        pending
        failed
        succeeded
        exhausted
        dead
      }
    }
  }
`);

export const createEndpointDocument = graphql(`
  mutation CreateWebhookEndpoint($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) {
      secret
      webhookEndpoint {
        id
        scheme
      }
    }
  }
`);

export const updateEndpointDocument = graphql(`
  mutation UpdateWebhookEndpoint($input: UpdateWebhookEndpointInput!) {
    updateWebhookEndpoint(input: $input) {
      secret
      webhookEndpoint {
        id
        enabled
        scheme
        previousSecretUntil
      }
    }
  }
`);

export const deleteEndpointDocument = graphql(`
  mutation DeleteWebhookEndpoint($input: DeleteWebhookEndpointInput!) {
    deleteWebhookEndpoint(input: $input) {
      webhookEndpoint {
        id
      }
    }
  }
`);

export const sendTestDocument = graphql(`
  mutation SendTestWebhook($input: SendTestWebhookInput!) {
    sendTestWebhook(input: $input) {
      webhookDelivery {
        id
      }
    }
  }
`);
