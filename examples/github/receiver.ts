import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Holdfast } from '@holdfast/sdk';
import { type ReceivedWebhook, verifyWebhook, WebhookVerificationError } from '@holdfast/sdk/webhooks';

type OnWebhook = (webhook: ReceivedWebhook) => void;

/** A system of yours that wants to know how runs end: an HTTP server, and its endpoint. */
export class Receiver {
  readonly #server: Server;
  readonly #secret: string;
  readonly #remove: () => Promise<void>;
  readonly #onWebhook: OnWebhook;
  readonly #deliveryIds = new Set<string>();
  readonly #runIds = new Set<string>();
  #onRun = (): void => {};

  private constructor(server: Server, secret: string, remove: () => Promise<void>, onWebhook: OnWebhook) {
    this.#server = server;
    this.#secret = secret;
    this.#remove = remove;
    this.#onWebhook = onWebhook;
    server.on('request', (request, response) => void this.#receive(request, response));
  }

  /** Starts the server, and makes an endpoint for the ends of the app's runs. */
  static async start(hf: Holdfast, onWebhook: OnWebhook): Promise<Receiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    try {
      const { id, secret } = await hf.webhooks.endpoints.create({
        url: `http://127.0.0.1:${port}/holdfast`,
        app: hf.app,
        eventKinds: ['run.succeeded', 'run.failed', 'run.cancelled'],
      });
      return new Receiver(server, secret, () => hf.webhooks.endpoints.delete(id), onWebhook);
    } catch (cause) {
      server.close();
      throw cause;
    }
  }

  /** Resolves when a webhook has told of each of the runs. Throws after the time limit. */
  async untilToldOf(runIds: readonly string[], limitMs: number): Promise<void> {
    const missing = (): string[] => runIds.filter((runId) => !this.#runIds.has(runId));
    await new Promise<void>((resolve, reject) => {
      const fail = (): void => reject(new Error(`no webhook told of the end of ${missing().join(', ')}`));
      const timer = setTimeout(fail, limitMs);
      this.#onRun = () => {
        if (missing().length > 0) return;
        clearTimeout(timer);
        resolve();
      };
      this.#onRun();
    });
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let webhook: ReceivedWebhook;
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      webhook = await verifyWebhook(Buffer.concat(chunks), request.headers, this.#secret);
    } catch (cause) {
      response.writeHead(cause instanceof WebhookVerificationError ? 401 : 500).end();
      return;
    }
    // The answer comes first, the work afterwards: the service waits for ten seconds only.
    response.writeHead(204).end();
    this.#take(webhook);
  }

  /** A delivery may come twice. */
  #take(webhook: ReceivedWebhook): void {
    if (this.#deliveryIds.has(webhook.id)) return;
    this.#deliveryIds.add(webhook.id);
    this.#runIds.add(webhook.run.id);
    this.#onWebhook(webhook);
    this.#onRun();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The service may have stopped before.
    await this.#remove().catch(() => undefined);
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
