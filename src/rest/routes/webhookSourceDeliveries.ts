import { pageSizes } from '../../engine/paging/index.ts';
import { sourceDeliveryStatuses } from '../../engine/webhooks/inbound/index.ts';
import { cursor, oneOf, pageSize, text } from '../declare/parameters.ts';
import { documentRoute } from '../declare/route.ts';

const summary = /* GraphQL */ `
  fragment SourceDelivery on WebhookSourceDelivery {
    id source status failureReason eventId runId createdAt
  }`;

/** 4.8, newest first */
export const listSourceDeliveries = documentRoute({
  method: 'GET',
  path: '/webhook-source-deliveries',
  scope: 'read',
  group: 'webhooks',
  summary: 'List the messages of webhook sources, newest first',
  parameters: {
    source: text('Only messages of the source with this id.'),
    status: oneOf(sourceDeliveryStatuses, 'Only messages with this outcome of their admission.'),
    limit: pageSize(pageSizes.runs),
    cursor: cursor(),
  },
  document: /* GraphQL */ `
    query ListSourceDeliveries($source: ID, $status: WebhookSourceDeliveryStatus, $first: Int, $after: String) {
      webhookSourceDeliveries(source: $source, status: $status, first: $first, after: $after) {
        nodes { ...SourceDelivery }
        pageInfo { hasNextPage endCursor }
      }
    }
    ${summary}`,
  variables: ({ query: { source, status, limit, cursor } }) => ({ source, status, first: limit, after: cursor }),
  success: { status: 200, at: ['webhookSourceDeliveries', 'nodes'], page: ['webhookSourceDeliveries', 'pageInfo'] },
});

/** 2.10 */
export const getSourceDelivery = documentRoute({
  method: 'GET',
  path: '/webhook-source-deliveries/{id}',
  scope: 'read',
  group: 'webhooks',
  summary: 'Get a message of a webhook source, with its body and its attempts',
  document: /* GraphQL */ `
    query GetSourceDelivery($id: ID!) {
      webhookSourceDelivery(id: $id) { ...SourceDeliveryDetail }
    }
    fragment SourceDeliveryDetail on WebhookSourceDelivery {
      id source status failureReason eventId runId createdAt requestHeaders body bodyEncoding
      attempts { id attempt trigger status eventId runId actor createdAt }
    }`,
  variables: ({ path }) => ({ id: path.id }),
  success: { status: 200, at: ['webhookSourceDelivery'], missing: 'webhook delivery not found' },
});

/** 4.8 */
export const replaySourceDelivery = documentRoute({
  method: 'POST',
  path: '/webhook-source-deliveries/{id}/replay',
  scope: 'write',
  group: 'webhooks',
  summary: 'Replay a verified message of a webhook source, by the present mapping of the source',
  document: /* GraphQL */ `
    mutation ReplaySourceDelivery($id: ID!) {
      replaySourceDelivery(input: { id: $id }) { ...SourceDeliveryReplay }
    }
    fragment SourceDeliveryReplay on ReplaySourceDeliveryPayload { deliveryId status eventId runId }`,
  variables: ({ path }) => ({ id: path.id }),
  success: { status: 200, at: ['replaySourceDelivery'] },
  failures: [404, 409],
});
