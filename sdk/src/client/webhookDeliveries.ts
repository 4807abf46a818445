import { asDeclared } from '../json/asDeclared.ts';
import { checkFields } from '../misuse.ts';
import type { Api } from './api.ts';
import { instantOf, rowsOf } from './query.ts';
import { isWebhookDelivery } from './shapes.ts';
import type { WebhookEventKind } from './webhookEndpoints.ts';

/** `failed` waits for a retry, `exhausted` has spent its retries, `dead` got a final refusal. */
export type WebhookDeliveryStatus = 'pending' | 'delivering' | 'succeeded' | 'failed' | 'exhausted' | 'dead';

/** A delivery tells of the end of a run or a step; `custom` is the send of a step. */
export type WebhookDeliveryKind = WebhookEventKind | 'custom';

/** A message to an endpoint, or the send of a step (2.9). Times are RFC 3339, UTC. */
export interface WebhookDelivery {
  readonly id: string;
  readonly app: string;
  /** Absent for the send of a step. */
  readonly endpointId?: string;
  readonly url: string;
  readonly eventKind: WebhookDeliveryKind;
  /** The run of which it tells. Absent for the send of a step, and for a test. */
  readonly sourceRunId?: string;
  readonly isTest?: true;
  /** The body that is sent. */
  readonly payload: unknown;
  readonly status: WebhookDeliveryStatus;
  readonly attemptCount: number;
  readonly maxAttempts: number;
  readonly lastStatusCode?: number;
  /** When a failed delivery is attempted again. */
  readonly nextAttemptAt?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface WebhookAttempt {
  readonly id: string;
  /** From 1, also over redeliveries. */
  readonly attempt: number;
  readonly outcome: 'succeeded' | 'http_error' | 'timeout' | 'connection_error' | 'skipped';
  readonly statusCode?: number;
  /** The start of the response's body. */
  readonly responseSnippet?: string;
  /** Why there was no response. */
  readonly error?: string;
  readonly durationMs: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders?: Readonly<Record<string, string | readonly string[]>>;
  readonly createdAt: string;
}

/** A delivery with its attempts, oldest first. */
export interface WebhookDeliveryDetail extends WebhookDelivery {
  readonly attempts: readonly WebhookAttempt[];
}

interface Window {
  endpointId?: string | undefined;
  /** Only deliveries created at or after it. */
  since?: Date | string | undefined;
  /** Only deliveries created before it. */
  until?: Date | string | undefined;
}

export interface WebhookDeliveryFilter extends Window {
  status?: WebhookDeliveryStatus | undefined;
  /** Any of these. */
  statuses?: readonly WebhookDeliveryStatus[] | undefined;
  app?: string | undefined;
  eventKind?: WebhookDeliveryKind | undefined;
  /** Only deliveries that this run caused. */
  runId?: string | undefined;
  /** Only deliveries that tell of this run, without the sends of its steps. */
  sourceRunId?: string | undefined;
  /** Deliveries per request, 1 to 200. The iteration covers all pages. */
  pageSize?: number | undefined;
}

/** At least one field is needed. */
export interface RedeliverFilter extends Window {
  /** Only these: 1 to 1000 ids. */
  deliveryIds?: readonly string[] | undefined;
  /** Default: `failed`, `exhausted` and `dead`. */
  statuses?: readonly Exclude<WebhookDeliveryStatus, 'delivering'>[] | undefined;
}

export interface RedeliverCounts {
  /** All matches, counted up to 100,000. */
  readonly matched: number;
  readonly redelivered: number;
  /** Matches with an attempt in flight. */
  readonly skipped: number;
  /** Whether more match than the 1000 of one call. */
  readonly capped: boolean;
}

export interface TestDelivery {
  endpointId: string;
  /** Any kind, also one that the endpoint does not list. */
  kind: WebhookEventKind;
}

const redeliverAllText = `mutation ($input: RedeliverWebhooksInput!) {
  redeliverWebhooks(input: $input) { matched redelivered skipped capped }
}`;
const sendTestText = `mutation ($input: SendTestWebhookInput!) {
  sendTestWebhook(input: $input) { webhookDelivery { id } }
}`;

const root = '/webhook-deliveries';
const pathOf = (id: string): string => `${root}/${encodeURIComponent(id)}`;

export class WebhookDeliveriesClient {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Iterates over deliveries, newest first, and fetches pages as the loop advances.
   *
   * @example
   * ```ts
   * const { deliveries } = hf.webhooks;
   * for await (const { id } of deliveries.list({ status: 'dead' })) console.log(id);
   * ```
   */
  list(filter: WebhookDeliveryFilter = {}): AsyncGenerator<WebhookDelivery, void, undefined> {
    const { since, until, statuses, pageSize, ...rest } = filter;
    const window = { since: instantOf(since), until: instantOf(until) };
    const query = { ...rest, ...window, statuses: statuses?.join(','), limit: pageSize ?? 100 };
    return rowsOf(this.#api, root, query);
  }

  /** Returns a delivery with its attempts. */
  async get(id: string): Promise<WebhookDeliveryDetail> {
    return asDeclared((await this.#api.get(pathOf(id), isWebhookDelivery)).body);
  }

  /**
   * Attempts a delivery again, at once and with a new budget of retries. Throws a
   * `HoldfastApiError` with status 409 while an attempt is in flight.
   */
  async redeliver(id: string): Promise<void> {
    await this.#api.command(`${pathOf(id)}/redeliver`);
  }

  /** Attempts the newest matching deliveries again: at most 1000 per call. */
  async redeliverAll(filter: RedeliverFilter): Promise<RedeliverCounts> {
    checkFields(filter, "webhooks.deliveries.redeliverAll needs a filter, such as { statuses: ['dead'] }");
    const { endpointId, deliveryIds, since, until, statuses } = filter;
    const input = {
      endpointId,
      deliveryIds,
      since: instantOf(since),
      until: instantOf(until),
      statuses: statuses?.map((each) => each.toUpperCase()),
    };
    const { redeliverWebhooks } = await this.#api.graphql(redeliverAllText, { input });
    return asDeclared(redeliverWebhooks);
  }

  /**
   * Sends an endpoint a sample body with `"test": true`, and returns its delivery. Throws a
   * `HoldfastApiError` with status 409 if the endpoint is disabled.
   */
  async sendTest({ endpointId, kind }: TestDelivery): Promise<WebhookDeliveryDetail> {
    const input = { endpointId, kind: kind.toUpperCase().replace('.', '_') };
    const { sendTestWebhook } = await this.#api.graphql(sendTestText, { input });
    return this.get(asDeclared<{ webhookDelivery: { id: string } }>(sendTestWebhook).webhookDelivery.id);
  }
}
