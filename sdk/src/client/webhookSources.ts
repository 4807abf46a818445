import { asDeclared } from '../json/asDeclared.ts';
import { checkFields } from '../misuse.ts';
import type { Api } from './api.ts';
import { isList, isWebhookSource } from './shapes.ts';
import { rotationBody, type SecretChange, type SecretRotation, type WithSecret } from './webhookSecrets.ts';

/** A sender whose signed messages become events (2.11). Times are RFC 3339, UTC. */
export interface WebhookSource {
  readonly id: string;
  readonly name?: string;
  /** The app of its events. */
  readonly app?: string;
  /** The name of its events. */
  readonly eventName: string;
  /** Its events start workflows of this app only. */
  readonly targetApp?: string;
  readonly dedupeKey?: string;
  readonly scheme: 'service' | 'standard' | 'github' | 'stripe';
  readonly handshake?: 'slack' | 'meta';
  /** In lower case. */
  readonly exposeHeaders: readonly string[];
  readonly enabled: boolean;
  /** The last part of its address. Absent for public keys. */
  readonly token?: string;
  /** The address to which the sender posts. Absent for public keys. */
  readonly receiveUrl?: string;
  /** Until when the secret before the last rotation is valid, too. */
  readonly previousSecretUntil?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface NewWebhookSource {
  /** A label, unique in the project. */
  name?: string | undefined;
  /** The app of its events. Default: `default`. */
  app?: string | undefined;
  /** The name of the event that a verified message becomes. */
  eventName: string;
  /** Start workflows of this app only. */
  targetApp?: string | undefined;
  /**
   * A dotted path into the body, such as `data.id`. A repeat of the value there within 24 hours
   * makes no event.
   */
  dedupeKey?: string | undefined;
  /** How the sender signs its messages. Default: `service`. */
  scheme?: WebhookSource['scheme'] | undefined;
  /** How the sender confirms the address when it is set up. Default: it does not. */
  handshake?: WebhookSource['handshake'] | undefined;
  /**
   * At most 20 names of headers that come along as `event.headers`. Headers that may hold a
   * signature or a secret are refused.
   */
  exposeHeaders?: readonly string[] | undefined;
  /** Default: true. */
  enabled?: boolean | undefined;
  /** A known token, of 16 to 128 URL-safe characters. Default: a generated one. */
  token?: string | undefined;
  /** A known signing secret, of 8 to 256 characters. Default: a generated one. */
  secret?: string | undefined;
}

/** Absent fields stay; null clears an optional one. */
export interface WebhookSourceChange extends SecretChange {
  name?: string | null | undefined;
  app?: string | null | undefined;
  eventName?: string | undefined;
  targetApp?: string | null | undefined;
  dedupeKey?: string | null | undefined;
  scheme?: WebhookSource['scheme'] | undefined;
  handshake?: WebhookSource['handshake'] | null | undefined;
  exposeHeaders?: readonly string[] | null | undefined;
  /** `false` makes its address unknown. */
  enabled?: boolean | undefined;
}

const root = '/webhook-sources';
const pathOf = (id: string): string => `${root}/${encodeURIComponent(id)}`;

export class WebhookSourcesClient {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Lists all sources, newest first. */
  async list(): Promise<WebhookSource[]> {
    return asDeclared((await this.#api.get(root, isList)).body);
  }

  async get(id: string): Promise<WebhookSource> {
    return asDeclared((await this.#api.get(pathOf(id), isWebhookSource)).body);
  }

  /**
   * Creates a source, and returns it with its secret and its `receiveUrl`. Keep the secret: no
   * later call returns it. Throws a `HoldfastApiError` with status 409 if the name or the token is
   * taken.
   */
  async create(source: NewWebhookSource): Promise<WebhookSource & WithSecret> {
    checkFields(source, "webhooks.sources.create needs a source, such as { eventName: 'order.paid' }");
    return asDeclared((await this.#api.post(root, isWebhookSource, { body: source })).body);
  }

  /** Changes the given fields. The answer has a secret if the change rotated it. */
  async update(id: string, change: WebhookSourceChange): Promise<WebhookSource & Partial<WithSecret>> {
    checkFields(change, 'webhooks.sources.update needs the fields to change');
    return asDeclared((await this.#api.patch(pathOf(id), isWebhookSource, { body: change })).body);
  }

  /**
   * Replaces the secret, and returns the source with the new one. The old one stays valid for 24
   * hours. Throws a `HoldfastApiError` with status 409 during that time, unless `force` is set.
   */
  async rotate(id: string, rotation: SecretRotation = {}): Promise<WebhookSource & WithSecret> {
    const body = rotationBody(rotation);
    return asDeclared((await this.#api.patch(pathOf(id), isWebhookSource, { body })).body);
  }

  /** Deletes the source. Its address is unknown from then on. */
  async delete(id: string): Promise<void> {
    await this.#api.delete(pathOf(id));
  }
}
