import {
  getSourceDelivery,
  getWebhookDelivery,
  getWebhookEndpoint,
  getWebhookEndpointStats,
  getWebhookSource,
  listSourceDeliveries,
  listWebhookDeliveries,
  listWebhookEndpoints,
  listWebhookSources,
} from '../../rest/index.ts';
import { listTool } from '../catalog/listTool.ts';
import { placeOf, placesIn } from '../catalog/places.ts';
import { oneTool } from '../catalog/routeTool.ts';
import type { Tool } from '../declare/tool.ts';

const annotations = { readOnlyHint: true } as const;
const toolset = 'webhooks';

export const webhookReads: readonly Tool[] = [
  listTool({
    name: 'list_webhook_endpoints',
    toolset,
    route: listWebhookEndpoints,
    member: 'endpoints',
    title: 'List webhook endpoints',
    description: 'Addresses that are told of ended runs and steps, newest first. Shows no secret.',
    annotations,
  }),
  oneTool({
    name: 'get_webhook_endpoint',
    toolset,
    route: getWebhookEndpoint,
    title: 'Get a webhook endpoint',
    description: 'One endpoint. Shows no secret.',
    annotations,
    about: () => 'One webhook endpoint.',
  }),
  listTool({
    name: 'get_webhook_endpoint_stats',
    toolset,
    route: getWebhookEndpointStats,
    member: 'endpoints',
    title: 'Count deliveries of endpoints',
    description: 'The health of each endpoint: its deliveries by status, in all and over time.',
    annotations,
    order: { by: ['endpointId'], dir: 'asc' },
  }),
  listTool({
    name: 'list_webhook_sources',
    toolset,
    route: listWebhookSources,
    member: 'sources',
    title: 'List webhook sources',
    description: 'Senders whose signed messages become events, newest first. Shows no secret and no address.',
    annotations,
  }),
  oneTool({
    name: 'get_webhook_source',
    toolset,
    route: getWebhookSource,
    title: 'Get a webhook source',
    description: 'One source. Shows no secret and no address: a person finds both by REST or in the console.',
    annotations,
    about: () => 'One webhook source.',
  }),
  listTool({
    name: 'list_webhook_deliveries',
    toolset,
    route: listWebhookDeliveries,
    member: 'deliveries',
    title: 'List webhook deliveries',
    description: 'Deliveries to endpoints, newest first. `get_webhook_delivery` has the attempts.',
    annotations,
    placeOf: (path, { id }) => placeOf('deliveryId', id, path),
  }),
  oneTool({
    name: 'get_webhook_delivery',
    toolset,
    route: getWebhookDelivery,
    title: 'Get a webhook delivery',
    description: 'One delivery with its payload and its attempts.',
    annotations,
    about: () => 'One webhook delivery.',
    placeOf: placesIn('deliveryId'),
  }),
  listTool({
    name: 'list_webhook_source_deliveries',
    toolset,
    route: listSourceDeliveries,
    member: 'deliveries',
    title: 'List messages of webhook sources',
    description: 'Messages of webhook sources, newest first, with what became of them.',
    annotations,
    placeOf: (path, { id }) => placeOf('sourceDeliveryId', id, path),
  }),
  oneTool({
    name: 'get_webhook_source_delivery',
    toolset,
    route: getSourceDelivery,
    title: 'Get a message of a webhook source',
    description: 'One message with its headers, body and admissions.',
    annotations,
    about: () => 'One message of a webhook source.',
    placeOf: placesIn('sourceDeliveryId'),
  }),
];
