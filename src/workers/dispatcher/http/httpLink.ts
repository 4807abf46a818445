import type { ClientRequest } from 'node:http';
import type { Logger } from 'pino';
import { HoldfastError } from '../../../engine/errors.ts';
import type { HttpRunner } from '../../../engine/runners/index.ts';
import { sign, signatureHeader } from '../../../engine/signing/index.ts';
import type { InvokeHost, RunnerIdentity, RunnerLink } from '../routing/runnerLink.ts';
import type { LinkReply } from '../seams/work.ts';
import type { HttpClient } from './httpClient.ts';
import { readAnswer } from './readAnswer.ts';
import { NoInvokeSecretError } from './secretCache.ts';

export interface HttpLinkOptions {
  runner: HttpRunner;
  client: HttpClient;
  /**
   * The secrets to sign with, the current one first. Reads them again if `refused` were refused.
   */
  secrets: (scope: RunnerIdentity, refused?: readonly string[]) => Promise<readonly string[]>;
  invokes: InvokeHost;
  /** Called when no secret can sign. The runner has these invokes, and gets no others. */
  onUnsigned: (link: HttpLink, underWay: ReadonlySet<string>) => void;
  /** Seconds since the epoch, for signatures. */
  nowSeconds: () => number;
  log: Logger;
}

/** A runner that takes its invokes by HTTP (4.10). */
export class HttpLink implements RunnerLink {
  readonly transport = 'http';
  readonly projectId: string;
  readonly app: string;
  readonly runnerId: string;
  load = 0;
  settling = 0;
  answerMs = 0;
  answeredAtMs = Number.NEGATIVE_INFINITY;
  /** The latest registration. */
  runner: HttpRunner;
  workflows: ReadonlySet<string>;
  /** When it last answered this process, on the monotonic clock. */
  heardMs = Number.NEGATIVE_INFINITY;
  /** When any process last saw it, by the registry, on the same clock. */
  listedMs = Number.NEGATIVE_INFINITY;
  /** The instant up to which the registry has recorded its answers, on the same clock. */
  recordedMs = Number.NEGATIVE_INFINITY;
  isSuspect = false;
  /** The end, on the monotonic clock, of the time without invokes, as no secret can sign them. */
  unsignedUntilMs = 0;
  readonly isCongested = false;
  readonly continue = undefined;
  readonly #options: HttpLinkOptions;
  readonly #requests = new Map<string, ClientRequest | undefined>();

  constructor(options: HttpLinkOptions) {
    const { runner } = options;
    this.#options = options;
    this.projectId = runner.projectId;
    this.app = runner.app;
    this.runnerId = runner.runnerId;
    this.runner = runner;
    this.workflows = new Set(runner.workflows);
  }

  /**
   * At most the number of connections to its URL. An invoke that waited for a connection would hold
   * a lease, and its timeout would run.
   */
  get maxInFlight(): number {
    return Math.min(this.runner.maxInFlight, this.#options.client.atOnce);
  }

  /** When any process last saw it. */
  get seenMs(): number {
    return Math.max(this.heardMs, this.listedMs);
  }

  /** Applies a newer registration. The caller removes its routes before, and adds them after. */
  update(runner: HttpRunner): void {
    this.runner = runner;
    this.workflows = new Set(runner.workflows);
  }

  send(invokeId: string, request: string): void {
    this.#requests.set(invokeId, undefined);
    void this.#post(invokeId, Buffer.from(request, 'utf8'));
  }

  /** Closes the request, so that the runner learns that its answer is not needed. */
  cancel(invokeId: string): boolean {
    const request = this.#requests.get(invokeId);
    this.#requests.delete(invokeId);
    request?.destroy();
    return true;
  }

  async #post(invokeId: string, body: Buffer): Promise<void> {
    try {
      const secrets = await this.#options.secrets(this);
      this.#start({ invokeId, body, secrets }, (reply) => {
        if (isRefused(reply)) void this.#repost({ invokeId, body, secrets }, reply);
        else this.#finish(invokeId, reply);
      });
    } catch (error) {
      this.#notSent(invokeId, error);
    }
  }

  /**
   * A runner that has just registered may know only a newer secret. The invoke is sent once more,
   * signed with that secret.
   */
  async #repost({ invokeId, body, secrets }: SignedInvoke, refusal: LinkReply): Promise<void> {
    if (!this.#requests.has(invokeId)) return;
    this.#requests.set(invokeId, undefined);
    try {
      const renewed = await this.#options.secrets(this, secrets);
      if (renewed.join() === secrets.join()) return this.#finish(invokeId, refusal);
      this.#start({ invokeId, body, secrets: renewed }, (reply) => this.#finish(invokeId, reply));
    } catch (error) {
      this.#notSent(invokeId, error);
    }
  }

  #notSent(invokeId: string, error: unknown): void {
    if (!this.#requests.has(invokeId)) return;
    if (error instanceof NoInvokeSecretError) {
      this.#withhold();
      return;
    }
    const isForbidden = error instanceof HoldfastError;
    if (!isForbidden) this.#options.log.warn({ err: error, runnerId: this.runnerId }, 'sending an invoke failed');
    const reason = isForbidden ? error.message : 'the invoke could not be sent';
    this.#finish(invokeId, { kind: 'transport', reason, socketLost: false });
  }

  /** Drops the invokes that were not sent yet. */
  #withhold(): void {
    for (const [id, request] of this.#requests) if (!request) this.#requests.delete(id);
    this.#options.onUnsigned(this, new Set(this.#requests.keys()));
  }

  #start({ invokeId, body, secrets }: SignedInvoke, onReply: (reply: LinkReply) => void): void {
    if (!this.#requests.has(invokeId)) return;
    const request = this.#options.client.send({
      method: 'POST',
      url: this.runner.url,
      headers: {
        'content-type': 'application/json',
        'content-length': body.length,
        'accept-encoding': 'identity',
        [signatureHeader]: sign(secrets, body, this.#options.nowSeconds()),
      },
      body,
      onResponse: (response) => readAnswer(response, onReply),
      onError: (error, isStale) => {
        // A repeat has replaced this request.
        if (this.#requests.get(invokeId) !== request) return;
        const reason = `the runner could not be reached (${error.code ?? 'connection failed'})`;
        // The runner had closed a kept connection, which is not its failure. The pass is
        // sent again at once.
        this.#finish(invokeId, { kind: 'transport', reason, socketLost: isStale && error.code === 'ECONNRESET' });
      },
    });
    this.#requests.set(invokeId, request);
  }

  #finish(invokeId: string, reply: LinkReply): void {
    if (!this.#requests.delete(invokeId)) return;
    this.isSuspect = reply.kind === 'transport';
    if (!this.isSuspect) this.heardMs = performance.now();
    const answer = reply.kind === 'transport' ? { ...reply, from: this.#self() } : reply;
    this.#options.invokes.answered(this, invokeId, answer);
  }

  /** Only the origin, because the path of a URL may hold secrets. */
  #self(): { runner: string; origin: string } {
    return { runner: this.runnerId, origin: new URL(this.runner.url).origin };
  }
}

interface SignedInvoke {
  invokeId: string;
  body: Buffer;
  secrets: readonly string[];
}

const isRefused = (reply: LinkReply): boolean => reply.kind === 'answer' && reply.status === 401;
