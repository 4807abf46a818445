import { pageSizes } from '../../engine/paging/index.ts';
import { deliveryKinds, deliveryStatuses } from '../../engine/webhooks/deliveries/index.ts';
import { bucketWidth, cursor, oneOf, pageSize, someOf, text, timestamp } from '../declare/parameters.ts';
import { documentRoute, streamRoute } from '../declare/route.ts';

const delivery = /* GraphQL */ `
  fragment WebhookDelivery on WebhookDelivery {
    id app endpointId url eventKind sourceRunId isTest payload status attemptCount maxAttempts
    lastStatusCode nextAttemptAt createdAt updatedAt
  }`;

/** 4.8, newest first */
export const listWebhookDeliveries = documentRoute({
  method: 'GET',
  path: '/webhook-deliveries',
  scope: 'read',
  group: 'webhooks',
  summary: 'List deliveries of webhooks, newest first',
  parameters: {
    status: oneOf(deliveryStatuses, 'Only deliveries of this status.'),
    statuses: someOf(deliveryStatuses, 'Only deliveries of one of these statuses.'),
    app: text('Only deliveries of this app.'),
    endpointId: text('Only deliveries to this endpoint.'),
    eventKind: oneOf(deliveryKinds, 'Only deliveries of this kind.'),
    runId: text('Only deliveries that this run caused.'),
    sourceRunId: text('Only deliveries that tell of this run, without the sends of its steps.'),
    since: timestamp('Only deliveries created at or after this time.'),
    until: timestamp('Only deliveries created before this time.'),
    limit: pageSize(pageSizes.deliveries),
    cursor: cursor(),
  },
  document: /* GraphQL */ `
    query ListWebhookDeliveries(
      $status: WebhookDeliveryStatus, $statuses: [WebhookDeliveryStatus!], $app: String, $endpointId: ID,
      $eventKind: WebhookDeliveryKind, $runId: ID, $sourceRunId: ID,
      $since: DateTime, $until: DateTime, $first: Int, $after: String
    ) {
      webhookDeliveries(
        status: $status, statuses: $statuses, app: $app, endpointId: $endpointId, eventKind: $eventKind,
        runId: $runId, sourceRunId: $sourceRunId, since: $since, until: $until, first: $first, after: $after
      ) {
        nodes { ...WebhookDelivery }
        pageInfo { hasNextPage endCursor }
      }
    }
    ${delivery}`,
  variables: ({ query: { limit, cursor, ...filter } }) => ({ ...filter, first: limit, after: cursor }),
  success: { status: 200, at: ['webhookDeliveries', 'nodes'], page: ['webhookDeliveries', 'pageInfo'] },
});

/**
 * Best effort: a reader that misses a change reads the list again. Without body and URL, as one
 * subscription serves all readers.
 */
export const streamWebhookDeliveries = streamRoute({
  path: '/webhook-deliveries/stream',
  group: 'webhooks',
  summary: 'Stream the deliveries that are attempted, or are due again',
  parameters: { endpointId: text('Only deliveries to this endpoint.') },
  document: /* GraphQL */ `
    subscription WebhookDeliveriesStream($endpointId: ID) {
      webhookDeliveryChanged(endpointId: $endpointId) { ...WebhookDeliveryChange }
    }
    fragment WebhookDeliveryChange on WebhookDelivery {
      id app endpointId eventKind sourceRunId isTest status attemptCount maxAttempts
      lastStatusCode nextAttemptAt createdAt updatedAt
    }`,
  variables: ({ query }) => query,
  at: 'webhookDeliveryChanged',
  event: { word: 'webhook_delivery' },
  isShared: () => true,
});

/** 4.8 */
export const getWebhookDelivery = documentRoute({
  method: 'GET',
  path: '/webhook-deliveries/{id}',
  scope: 'read',
  group: 'webhooks',
  summary: 'Get a delivery, with its attempts',
  document: /* GraphQL */ `
    query GetWebhookDelivery($id: ID!) {
      webhookDelivery(id: $id) { ...WebhookDelivery attempts(limit: 1000) { ...WebhookAttempt } }
    }
    fragment WebhookAttempt on WebhookAttempt {
      id attempt outcome statusCode responseSnippet error durationMs requestHeaders responseHeaders createdAt
    }
    ${delivery}`,
  variables: ({ path }) => ({ id: path.id }),
  success: {
    status: 200,
    at: ['webhookDelivery'],
    name: 'WebhookDeliveryDetail',
    missing: 'webhook delivery not found',
  },
});

/** 4.8 */
export const redeliverWebhook = documentRoute({
  method: 'POST',
  path: '/webhook-deliveries/{id}/redeliver',
  scope: 'write',
  group: 'webhooks',
  summary: 'Attempt a delivery again, at once and with a new budget',
  document: /* GraphQL */ `
    mutation RedeliverWebhook($id: ID!) { redeliverWebhook(input: { id: $id }) { webhookDelivery { id } } }`,
  variables: ({ path }) => ({ id: path.id }),
  success: { status: 204, at: ['redeliverWebhook'] },
  failures: [404, 409],
});

/** Rulings 8 */
export const getWebhookEndpointStats = documentRoute({
  method: 'GET',
  path: '/webhook-endpoints/stats',
  scope: 'read',
  group: 'webhooks',
  summary: 'Count the deliveries of each endpoint by status, in all and in time buckets',
  parameters: {
    since: timestamp('Only deliveries created at or after this time; 24 hours ago when absent.'),
    until: timestamp('Only deliveries created before this time.'),
    endpointId: text('Only this endpoint.'),
    bucket: bucketWidth,
  },
  document: /* GraphQL */ `
    query GetWebhookEndpointStats($since: DateTime, $until: DateTime, $endpointId: ID, $bucket: Int) {
      webhookEndpointStats(since: $since, until: $until, endpointId: $endpointId, bucket: $bucket) {
        ...WebhookEndpointStats
      }
    }
    fragment WebhookEndpointStats on WebhookEndpointStats {
      endpointId total succeeded failed exhausted dead pending attempts failedAttempts p50Ms p95Ms
      lastAttemptAt lastStatusCode
      buckets { ...WebhookEndpointBucket }
    }
    fragment WebhookEndpointBucket on WebhookEndpointBucket {
      bucket total succeeded failed exhausted dead pending attempts failedAttempts p50Ms p95Ms
    }`,
  variables: ({ query }) => query,
  success: { status: 200, at: ['webhookEndpointStats'] },
});
