import { type Backoff, backoffMs, pause } from '../backoff.ts';
import type { Config } from '../config.ts';
import { apiError, isPassing, networkError, notOurs } from './failures.ts';
import type { Shape } from './shapes.ts';

export interface CallOptions {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

export interface ApiAnswer {
  readonly body: unknown;
  readonly headers: Headers;
}

const timeoutMs = 30_000;

/**
 * How often in a row a read may fail in passing before that is thrown, and the pauses in between.
 */
export interface Patience {
  readonly attempts: number;
  readonly backoff: Backoff;
}

const shortPatience: Patience = { attempts: 4, backoff: { firstMs: 100, maxMs: 2_000 } };
/** For whoever waits for a run: it outlasts a restart of the service, about twelve seconds. */
export const longPatience: Patience = { attempts: 9, backoff: { firstMs: 100, maxMs: 5_000 } };

/** Calls of the service over the global `fetch`, whose connections are kept and shared. */
export class Api {
  readonly #config: Config;

  constructor(config: Config) {
    this.#config = config;
  }

  /**
   * Reads are tried again where the network or a proxy failed: a few times, or as often as
   * `patience` says.
   */
  async get(
    path: string,
    shape: Shape,
    { patience = shortPatience, ...options }: Omit<CallOptions, 'body'> & { patience?: Patience } = {},
  ): Promise<ApiAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return answerIn(await this.#call('GET', path, options), shape);
      } catch (cause) {
        if (attempt >= patience.attempts || options.signal?.aborted || !isPassing(cause)) throw cause;
      }
      await pause(backoffMs(attempt - 1, patience.backoff), options.signal);
    }
  }

  /** Writes are tried once: a lost answer leaves open whether they happened. */
  async post(path: string, shape: Shape, options: CallOptions = {}): Promise<ApiAnswer> {
    return answerIn(await this.#call('POST', path, options), shape);
  }

  /** The bare response of a stream, which is open for as long as it lasts. */
  stream(path: string, options: Omit<CallOptions, 'body'>): Promise<Response> {
    return this.#fetch('GET', path, { ...options, accept: 'text/event-stream' }, async (response) => response);
  }

  #call(method: string, path: string, options: CallOptions): Promise<Answered> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const read = async (response: Response): Promise<Answered> => ({ response, text: await response.text() });
    return this.#fetch(method, path, { ...options, timeout }, read);
  }

  /**
   * What `read` makes of the response. A failure of the network names the address; `signal` is
   * whoever calls, and has its own reason.
   */
  async #fetch<T>(
    method: string,
    path: string,
    { query, body, signal, timeout, accept }: CallOptions & { timeout?: AbortSignal; accept?: string },
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const url = new URL(`${this.#config.baseUrl}${path}`);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const init: RequestInit = {
      method,
      headers: {
        ...this.#config.credentials,
        ...(accept !== undefined && { accept }),
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

/**
 * The JSON of an answer; throws `HoldfastApiError` where it is one of failure, or not the
 * service's.
 */
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
