import type { Api } from './api.ts';
import { WebhookDeliveriesClient } from './webhookDeliveries.ts';
import { WebhookEndpointsClient } from './webhookEndpoints.ts';
import { WebhookSourcesClient } from './webhookSources.ts';

/** Webhooks in both directions. */
export class WebhooksClient {
  /** Messages to endpoints, and the sends of steps. */
  readonly deliveries: WebhookDeliveriesClient;
  /** The addresses that are told of ended runs and steps. */
  readonly endpoints: WebhookEndpointsClient;
  /** The senders whose signed messages become events. */
  readonly sources: WebhookSourcesClient;

  constructor(api: Api) {
    this.deliveries = new WebhookDeliveriesClient(api);
    this.endpoints = new WebhookEndpointsClient(api);
    this.sources = new WebhookSourcesClient(api);
  }
}
