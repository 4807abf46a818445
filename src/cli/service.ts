import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { readKeys } from '../keysFile.ts';
import { loadSettings } from '../settings.ts';
import { CliError } from './cliError.ts';
import { readEvents, type StreamEvent } from './streamEvents.ts';
import type { Terminal } from './terminal.ts';

/** Longer than the service takes for any answer. */
const answerMs = 60_000;
const retryMs = { first: 250, most: 5_000 };

export type QueryValues = Readonly<Record<string, string | undefined>>;

export interface ServiceAnswer {
  /** The body unparsed, so that numbers in payloads keep their digits. */
  text: string;
  /** The cursor of the next page; absent on the last page. */
  nextCursor: string | undefined;
}

/** The service is unreachable or busy; a stream reconnects later. */
export class ServiceLost extends CliError {}

/** The service refused a call. */
export class Refusal extends CliError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** The running service, over REST. */
export class ServiceClient {
  readonly baseUrl: string;
  readonly #key: string;

  constructor(baseUrl: string, key: string) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.#key = key;
  }

  get(path: string, query: QueryValues = {}): Promise<ServiceAnswer> {
    return this.#call('GET', path, { query });
  }

  post(path: string, body?: string): Promise<ServiceAnswer> {
    return this.#call('POST', path, { body });
  }

  /**
   * Follows a stream, and resumes after the last event with an id when the connection breaks or the
   * service restarts. Ends when the service says that the stream has ended. Throws if the service
   * refuses, or does not answer the first request.
   */
  async *follow(path: string, query: QueryValues, onLost: (reason: string) => void): AsyncGenerator<StreamEvent> {
    let lastEventId: string | undefined;
    let hasAnswered = false;
    for (let tries = 0; ; tries += 1) {
      try {
        const response = await this.#fetch('GET', path, { query, lastEventId });
        hasAnswered = true;
        if (response.status === 204 || !response.body) return;
        for await (const event of readEvents(response.body)) {
          tries = 0;
          lastEventId = event.id ?? lastEventId;
          yield event;
        }
      } catch (error) {
        // `fetch` throws a TypeError when a stream breaks.
        const isLost = error instanceof ServiceLost || error instanceof TypeError;
        if (!isLost || !hasAnswered) throw error;
      }
      if (tries === 0) onLost('connection lost: reconnecting when the service answers');
      await delay(Math.min(retryMs.most, retryMs.first * 2 ** tries));
    }
  }

  async #call(method: string, path: string, { query = {}, body }: { query?: QueryValues; body?: string | undefined }) {
    const signal = AbortSignal.timeout(answerMs);
    const response = await this.#fetch(method, path, { query, body, signal });
    return { text: await response.text(), nextCursor: response.headers.get('x-next-cursor') ?? undefined };
  }

  async #fetch(
    method: string,
    path: string,
    {
      query,
      body,
      lastEventId,
      signal,
    }: { query: QueryValues; body?: string | undefined; lastEventId?: string | undefined; signal?: AbortSignal },
  ): Promise<Response> {
    const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const search = given.length > 0 ? `?${new URLSearchParams(given)}` : '';
    const headers = {
      authorization: `Bearer ${this.#key}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    const init = { method, headers, ...(body !== undefined && { body }), ...(signal && { signal }) };
    const response = await fetch(this.baseUrl + path + search, init).catch((error: unknown) => {
      throw new ServiceLost(
        `no service answers at ${this.baseUrl} (${codeOf(error)}): start it with "npm start", or set HOLDFAST_URL and HOLDFAST_API_KEY`,
      );
    });
    if (!response.ok) throw await this.#refusal(response);
    return response;
  }

  async #refusal(response: Response): Promise<CliError> {
    const { status } = response;
    const reason = refusalText.safeParse(await response.text()).data;
    if (reason === undefined) return new CliError(`the server at ${this.baseUrl} is not Holdfast (status ${status})`);
    if (status === 500 || status === 503) return new ServiceLost(`${reason}: try again in a moment`);
    if (status === 401) return new CliError(`${reason}: check HOLDFAST_API_KEY, or keys.json, against ${this.baseUrl}`);
    return new Refusal(reason, status);
  }
}

const refusalText = z
  .preprocess((text) => parsed(text), z.object({ error: z.string() }))
  .transform(({ error }) => error);

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

/** Finds the service by HOLDFAST_URL and HOLDFAST_API_KEY, else by keys.json. */
export async function findService({ env }: Terminal): Promise<ServiceClient> {
  const url = env['HOLDFAST_URL'] || undefined;
  const key = env['HOLDFAST_API_KEY'] || undefined;
  if (key !== undefined && url !== undefined) return new ServiceClient(url, key);
  const { dataDir } = loadSettings({ DATA_DIR: env['DATA_DIR'] });
  const kept = await readKeys(dataDir);
  if (key !== undefined) return new ServiceClient(kept?.baseUrl ?? 'http://127.0.0.1:4400', key);
  if (!kept) {
    throw new CliError(
      `there is no keys.json in ${dataDir}: start the service with "npm start", or set HOLDFAST_URL and HOLDFAST_API_KEY`,
    );
  }
  if (url !== undefined && url.replace(/\/+$/, '') !== kept.baseUrl) {
    throw new CliError(`the key in ${dataDir} is for ${kept.baseUrl}: set HOLDFAST_API_KEY for ${url}`);
  }
  return new ServiceClient(kept.baseUrl, kept.secretKey);
}
