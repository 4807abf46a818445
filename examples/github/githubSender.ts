import { createHmac, randomUUID } from 'node:crypto';
import type { Holdfast } from '@holdfast/sdk';
import type { PullRequestPayload } from './payloads.ts';
import { githubWebhook } from './workflows.ts';

/** The answer to a webhook. */
interface Accepted {
  deliveryId: string;
  status: 'ingested' | 'deduped';
  /** A run that it started. */
  runId?: string;
}

/** Stands in for GitHub: signs and posts webhooks to a source of the service, as GitHub does. */
export class GithubSender {
  readonly #url: string;
  readonly #secret: string;
  readonly #remove: () => Promise<void>;

  private constructor(url: string, secret: string, remove: () => Promise<void>) {
    this.#url = url;
    this.#secret = secret;
    this.#remove = remove;
  }

  /** Makes a source for GitHub's signatures. Its events have the header that names the kind. */
  static async create(hf: Holdfast, baseUrl: string): Promise<GithubSender> {
    const { id, token, secret } = await hf.webhooks.sources.create({
      scheme: 'github',
      app: hf.app,
      eventName: githubWebhook.name,
      exposeHeaders: ['X-GitHub-Event'],
    });
    // GitHub would post to the `receiveUrl`, whose host is the public one.
    return new GithubSender(`${baseUrl}/webhooks/${token}`, secret, () => hf.webhooks.sources.delete(id));
  }

  async send(payload: PullRequestPayload): Promise<Accepted> {
    const body = JSON.stringify(payload);
    const response = await this.#post(body, createHmac('sha256', this.#secret).update(body).digest('hex'));
    if (response.status !== 202) throw new Error(`a webhook was answered ${response.status}: ${await response.text()}`);
    return response.json() as Promise<Accepted>;
  }

  /** Posts a webhook that GitHub has not signed. Returns the status of the answer. */
  async forge(payload: PullRequestPayload): Promise<number> {
    const response = await this.#post(JSON.stringify(payload), '0'.repeat(64));
    await response.body?.cancel();
    return response.status;
  }

  #post(body: string, signature: string): Promise<Response> {
    return fetch(this.#url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'GitHub-Hookshot/demo',
        'x-github-event': 'pull_request',
        'x-github-delivery': randomUUID(),
        'x-hub-signature-256': `sha256=${signature}`,
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The service may have stopped before.
    await this.#remove().catch(() => undefined);
  }
}
