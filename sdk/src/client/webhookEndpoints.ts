import { asDeclared } from '../json/asDeclared.ts';
import { checkFields } from '../misuse.ts';
import type { Api } from './api.ts';
import { isList, isWebhookEndpoint } from './shapes.ts';
import { rotationBody, type SecretChange, type SecretRotation, type WithSecret } from './webhookSecrets.ts';

/** A change of a run or a step of which an endpoint can be told (6.2). */
export type WebhookEventKind =
  | 'run.succeeded'
  | 'run.failed'
  | 'run.cancelled'
  | 'step.succeeded'
  | 'step.failed'
  | 'step.skipped';

/** An address that is told of ended runs and steps (2.11). Times are RFC 3339, UTC. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly name?: string;
  /** Absent: changes of all apps. */
  readonly app?: string;
  readonly url: string;
  readonly eventKinds: readonly WebhookEventKind[];
  readonly scheme: 'service' | 'standard';
  readonly enabled: boolean;
  /** When the service disabled it, because it had failed for days. */
  readonly disabledAt?: string;
  /** Until when the secret before the last rotation is valid, too. */
  readonly previousSecretUntil?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface NewWebhookEndpoint {
  /** A label, unique in the project. */
  name?: string | undefined;
  /** Only changes of this app. Default: of all apps. */
  app?: string | undefined;
  /** An http or https URL, unique among the endpoints of an app. */
  url: string;
  eventKinds: readonly WebhookEventKind[];
  /** Default: true. */
  enabled?: boolean | undefined;
  /** How deliveries are signed. Default: `service`. */
  scheme?: WebhookEndpoint['scheme'] | undefined;
  /** A known signing secret, of 8 to 256 characters. Default: a generated one. */
  secret?: string | undefined;
}

/** Absent fields stay; null clears `name` and `app`. */
export interface WebhookEndpointChange extends SecretChange {
  name?: string | null | undefined;
  app?: string | null | undefined;
  url?: string | undefined;
  eventKinds?: readonly WebhookEventKind[] | undefined;
  /** `true` also takes up an endpoint that the service disabled. */
  enabled?: boolean | undefined;
  scheme?: WebhookEndpoint['scheme'] | undefined;
}

const root = '/webhook-endpoints';
const pathOf = (id: string): string => `${root}/${encodeURIComponent(id)}`;

export class WebhookEndpointsClient {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Lists all endpoints, newest first. */
  async list(): Promise<WebhookEndpoint[]> {
    return asDeclared((await this.#api.get(root, isList)).body);
  }

  async get(id: string): Promise<WebhookEndpoint> {
    return asDeclared((await this.#api.get(pathOf(id), isWebhookEndpoint)).body);
  }

  /**
   * Creates an endpoint, and returns it with its secret. Keep the secret: no later call returns it.
   * Throws a `HoldfastApiError` with status 409 if the name or the URL is taken.
   */
  async create(endpoint: NewWebhookEndpoint): Promise<WebhookEndpoint & WithSecret> {
    checkFields(endpoint, 'webhooks.endpoints.create needs an endpoint, such as { url, eventKinds: […] }');
    return asDeclared((await this.#api.post(root, isWebhookEndpoint, { body: endpoint })).body);
  }

  /** Changes the given fields. The answer has a secret if the change rotated it. */
  async update(id: string, change: WebhookEndpointChange): Promise<WebhookEndpoint & Partial<WithSecret>> {
    checkFields(change, 'webhooks.endpoints.update needs the fields to change');
    return asDeclared((await this.#api.patch(pathOf(id), isWebhookEndpoint, { body: change })).body);
  }

  /**
   * Replaces the secret, and returns the endpoint with the new one. The old one stays valid for 24
   * hours. Throws a `HoldfastApiError` with status 409 during that time, unless `force` is set.
   */
  async rotate(id: string, rotation: SecretRotation = {}): Promise<WebhookEndpoint & WithSecret> {
    const body = rotationBody(rotation);
    return asDeclared((await this.#api.patch(pathOf(id), isWebhookEndpoint, { body })).body);
  }

  /** Deletes the endpoint. Its unfinished deliveries are not sent any more. */
  async delete(id: string): Promise<void> {
    await this.#api.delete(pathOf(id));
  }
}
