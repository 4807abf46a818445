import { type Backoff, backoffMs, pause } from '../backoff.ts';
import type { Config } from '../config.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { apiError, graphqlError, isPassing, networkError, notOurs } from './failures.ts';
import { isGraphqlAnswer, type Shape } from './shapes.ts';

export interface CallOptions {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** Resumes a stream after this event. */
  lastEventId?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface ApiAnswer {
  readonly body: unknown;
  readonly headers: Headers;
}

const timeoutMs = 30_000;

/** How many attempts a read gets in a row, and the delays between them. */
export interface Retries {
  readonly attempts: number;
  readonly backoff: Backoff;
}

const shortRetries: Retries = { attempts: 4, backoff: { firstMs: 100, maxMs: 2_000 } };
/** For waiting on a run: outlasts a restart of the service, about twelve seconds. */
export const longRetries: Retries = { attempts: 9, backoff: { firstMs: 100, maxMs: 5_000 } };

/** HTTP calls to the service, over the global `fetch`, which keeps and shares connections. */
export class Api {
  readonly #config: Config;

  constructor(config: Config) {
    this.#config = config;
  }

  /** Warns of the first unknown field that a call was given. */
  warnOfUnknown(call: string, options: object, known: Readonly<Record<string, true>>): void {
    this.#config.warnOfUnknown(call, options, known);
  }

  /** Retries when the network or a proxy fails, as often as `retries` allows. */
  async get(
    path: string,
    shape: Shape,
    { retries = shortRetries, ...options }: Omit<CallOptions, 'body'> & { retries?: Retries } = {},
  ): Promise<ApiAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return answerIn(await this.#call('GET', path, options), shape);
      } catch (cause) {
        if (attempt >= retries.attempts || options.signal?.aborted || !isPassing(cause)) throw cause;
      }
      await pause(backoffMs(attempt - 1, retries.backoff), options.signal);
    }
  }

  /** Never retries: after a lost answer the write may have happened. */
  async post(path: string, shape: Shape, options: CallOptions = {}): Promise<ApiAnswer> {
    return answerIn(await this.#call('POST', path, options), shape);
  }

  /** Never retries, like `post`. */
  async patch(path: string, shape: Shape, options: CallOptions): Promise<ApiAnswer> {
    return answerIn(await this.#call('PATCH', path, options), shape);
  }

  /** Never retries: after a lost answer, a repeat may find nothing to delete. */
  async delete(path: string): Promise<void> {
    const { response, text } = await this.#call('DELETE', path, {});
    if (!response.ok) throw apiError(response, text);
    if (response.status !== 204) notOurs(response, 'a body');
  }

  /** A write without a body in its answer. Never retries. */
  async command(path: string): Promise<void> {
    const { response, text } = await this.#call('POST', path, {});
    if (!response.ok) throw apiError(response, text);
    if (response.status !== 204) notOurs(response, 'a body');
  }

  /** A mutation that has no route of REST. Never retries. Its errors have the status of REST. */
  async graphql(query: string, variables: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { response, text } = await this.#call('POST', '/graphql', { body: { query, variables } });
    const failure = graphqlError(response, text);
    if (failure) throw failure;
    const { body } = answerIn({ response, text }, isGraphqlAnswer);
    return asDeclared<{ data: Record<string, unknown> }>(body).data;
  }

  /** The raw response of a stream, which stays open until the stream ends. */
  stream(path: string, options: Omit<CallOptions, 'body'>): Promise<Response> {
    return this.#fetch('GET', path, { ...options, accept: 'text/event-stream' }, async (response) => response);
  }

  #call(method: string, path: string, options: CallOptions): Promise<Answered> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const read = async (response: Response): Promise<Answered> => ({ response, text: await response.text() });
    return this.#fetch(method, path, { ...options, timeout }, read);
  }

  /**
   * Fetches and reads the response. A network failure names the address. An abort of `signal`
   * rethrows its own reason.
   */
  async #fetch<T>(
    method: string,
    path: string,
    { query, body, lastEventId, signal, timeout, accept }: CallOptions & { timeout?: AbortSignal; accept?: string },
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const url = new URL(`${this.#config.baseUrl}${path}`);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const init: RequestInit = {
      method,
      headers: {
        ...this.#config.callHeaders,
        ...(accept !== undefined && { accept }),
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, timeout].flatMap((each) => each ?? [])),
    };
    try {
      return await read(await fetch(url, init));
    } catch (cause) {
      throw signal?.aborted ? cause : networkError(url, cause);
    }
  }
}

interface Answered {
  readonly response: Response;
  readonly text: string;
}

/** The JSON of an answer. Throws `HoldfastApiError` for an error, or if another server answered. */
function answerIn({ response, text }: Answered, shape: Shape): ApiAnswer {
  if (!response.ok) throw apiError(response, text);
  const body = parsed(response, text);
  return shape(body) ? { body, headers: response.headers } : notOurs(response, 'something else than was asked for');
}

function parsed(response: Response, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return notOurs(response, text === '' ? 'an empty body' : 'no JSON');
  }
}
