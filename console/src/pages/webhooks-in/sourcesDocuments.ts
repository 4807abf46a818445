import { graphql } from '../../data/graphql.ts';

export const sourcesDocument = graphql(`
  query WebhookSources {
    webhookSources(first: 1000) {
      nodes {
        id
        name
        eventName
        app
        targetApp
        scheme
        enabled
        createdAt
      }
    }
  }
`);

export const sourceDocument = graphql(`
  query WebhookSource($id: ID!) {
    webhookSource(id: $id) {
      id
      name
      eventName
      app
      targetApp
      scheme
      dedupeKey
      exposeHeaders
      handshake
      enabled
      createdAt
      updatedAt
      previousSecretUntil
    }
  }
`);

export const sourceAddressDocument = graphql(`
  query WebhookSourceAddress($id: ID!) {
    webhookSource(id: $id) {
      receiveUrl
    }
  }
`);

export const createSourceDocument = graphql(`
  mutation CreateWebhookSource($input: CreateWebhookSourceInput!) {
    createWebhookSource(input: $input) {
      secret
      webhookSource {
        id
      }
    }
  }
`);

export const updateSourceDocument = graphql(`
  mutation UpdateWebhookSource($input: UpdateWebhookSourceInput!) {
    updateWebhookSource(input: $input) {
      secret
      webhookSource {
        id
        enabled
      }
    }
  }
`);

export const deleteSourceDocument = graphql(`
  mutation DeleteWebhookSource($input: DeleteWebhookSourceInput!) {
    deleteWebhookSource(input: $input) {
      webhookSource {
        id
      }
    }
  }
`);
