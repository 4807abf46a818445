import { Agent, request } from 'node:http';
import { type ClientEntry, preciseNow } from '../../support/ledgers.ts';
import { flow } from './fleet.ts';

interface Answer {
  status: number;
  body: string;
}

/**
 * Clients behind a balancer: starts at a steady rate, each asked for again under its key until it
 * is acknowledged. The balancer sends nothing to who is not ready, and goes on to the next address
 * when a connection is refused, as nothing was sent then; whatever else goes wrong has reached the
 * client.
 */
export class Load {
  readonly entries: ClientEntry[] = [];
  /**
   * What clients were told other than what they asked for: statuses, and errors of connections,
   * with their time.
   */
  readonly failures: { at: number; why: string }[] = [];
  readonly #baseUrls: readonly string[];
  readonly #secretKey: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 50 });
  readonly #pending = new Set<Promise<void>>();
  readonly #timers: NodeJS.Timeout[];
  readonly #ready = new Set<string>();
  #started = 0;
  #turn = 0;

  constructor(baseUrls: readonly string[], { secretKey, perSecond }: { secretKey: string; perSecond: number }) {
    this.#baseUrls = baseUrls;
    this.#secretKey = secretKey;
    this.#timers = [
      setInterval(() => this.#begin(), 1_000 / perSecond),
      ...baseUrls.map((baseUrl) => setInterval(() => void this.#check(baseUrl), checkMs)),
    ];
  }

  get started(): number {
    return this.#started;
  }

  get acknowledged(): number {
    return this.entries.filter((entry) => entry.kind === 'answer' && entry.status < 300).length;
  }

  /** Keys of starts that were acknowledged in that time. */
  acknowledgedBetween(from: number, to: number): string[] {
    return this.entries.flatMap((entry) =>
      entry.kind === 'answer' && entry.status < 300 && entry.at > from && entry.at < to ? [entry.key] : [],
    );
  }

  /** Starts no more; resolves once all are acknowledged. */
  async stop(): Promise<void> {
    clearInterval(this.#timers[0]);
    while (this.#pending.size > 0) await Promise.all(this.#pending);
    for (const timer of this.#timers) clearInterval(timer);
    this.#agent.destroy();
  }

  async #check(baseUrl: string): Promise<void> {
    const isReady = await fetch(`${baseUrl}/health/ready`, { signal: AbortSignal.timeout(checkMs * 5) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) this.#ready.add(baseUrl);
    else this.#ready.delete(baseUrl);
  }

  #begin(): void {
    this.#started += 1;
    const key = `start ${this.#started}`;
    const work = this.#insist(key).finally(() => this.#pending.delete(work));
    this.#pending.add(work);
  }

  async #insist(key: string): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      this.entries.push({ kind: 'request', at: preciseNow(), key, what: { workflow: flow.name } });
      try {
        const { status, body } = await this.#balance(key);
        const { runId, deduped = false } = status < 300 ? JSON.parse(body) : {};
        const runIds = runId === undefined ? [] : [runId];
        this.entries.push({ kind: 'answer', at: preciseNow(), key, status, runIds, deduped });
        if (status < 300) return;
        this.failures.push({ at: preciseNow(), why: `status ${status}` });
      } catch (error) {
        this.failures.push({ at: preciseNow(), why: error instanceof Error ? error.message : String(error) });
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
    throw new Error(`${key} was never acknowledged`);
  }

  async #balance(key: string): Promise<Answer> {
    const candidates = this.#ready.size > 0 ? [...this.#ready] : this.#baseUrls;
    for (let tries = 1; ; tries += 1) {
      const baseUrl = candidates[this.#turn++ % candidates.length] ?? '';
      try {
        return await this.#send(baseUrl, key);
      } catch (error) {
        const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
        if (!isRefused || tries >= candidates.length) throw new Error(`${baseUrl}: ${error}`, { cause: error });
      }
    }
  }

  #send(baseUrl: string, key: string): Promise<Answer> {
    const body = JSON.stringify({ input: { key }, dedupeId: key });
    const headers = {
      authorization: `Bearer ${this.#secretKey}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    return new Promise((resolve, reject) => {
      const path = `/workflows/${flow.app}/${flow.name}/trigger`;
      const sent = request(`${baseUrl}${path}`, {
        method: 'POST',
        agent: this.#agent,
        headers,
        timeout: answerTimeoutMs,
      });
      sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
      sent.on('error', reject);
      sent.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
        response.on('error', reject);
      });
      sent.end(body);
    });
  }
}

const maxTries = 300;
const retryMs = 200;
const answerTimeoutMs = 15_000;
const checkMs = 100;
