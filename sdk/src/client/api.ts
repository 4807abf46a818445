import { type Backoff, backoffMs, pause } from '../backoff.ts';
import type { Config } from '../config.ts';
import { reasonIn } from '../errorReason.ts';
import { HoldfastApiError } from '../errors.ts';

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

/** How often in a row a read may fail in passing before that is thrown, and the pauses in between. */
export interface Patience {
  readonly attempts: number;
  readonly backoff: Backoff;
}

const shortPatience: Patience = { attempts: 4, backoff: { firstMs: 100, maxMs: 2_000 } };
/** For whoever waits for a run: it outlasts a restart of the service, about twelve seconds. */
export const longPatience: Patience = { attempts: 9, backoff: { firstMs: 100, maxMs: 5_000 } };

const passing = new Set([502, 503, 504]);

/** Calls of the service over the global `fetch`, whose connections are kept and shared. */
export class Api {
  readonly #config: Config;

  constructor(config: Config) {
    this.#config = config;
  }

  /** Reads are tried again where the network or a proxy failed: a few times, or as often as `patience` says. */
  async get(
    path: string,
    { patience = shortPatience, ...options }: Omit<CallOptions, 'body'> & { patience?: Patience } = {},
  ): Promise<ApiAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await answerOf(await this.open('GET', path, options));
      } catch (cause) {
        if (attempt >= patience.attempts || options.signal?.aborted || !isPassing(cause)) throw cause;
      }
      await pause(backoffMs(attempt - 1, patience.backoff), options.signal);
    }
  }

  /** Writes are tried once: a lost answer leaves open whether they happened. */
  async post(path: string, options: CallOptions = {}): Promise<ApiAnswer> {
    return answerOf(await this.open('POST', path, options));
  }

  /** The bare response; `streams` are open for as long as they last. */
  async open(method: string, path: string, options: CallOptions, kind: 'call' | 'stream' = 'call'): Promise<Response> {
    const url = new URL(`${this.#config.baseUrl}${path}`);
    for (const [name, value] of Object.entries(options.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const signals = [options.signal, kind === 'call' ? AbortSignal.timeout(timeoutMs) : undefined].filter(isPresent);
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    return fetch(url, {
      method,
      headers: {
        ...this.#config.credentials,
        ...(kind === 'stream' && { accept: 'text/event-stream' }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    });
  }
}

/** The JSON of an answer; throws `HoldfastApiError` where it is one of failure, or not the service's. */
async function answerOf(response: Response): Promise<ApiAnswer> {
  const text = await response.text();
  if (!response.ok) throw apiError(response.status, text);
  try {
    return { body: JSON.parse(text), headers: response.headers };
  } catch {
    return notOurs(response, text === '' ? 'an empty body' : 'no JSON');
  }
}

/** Throws: somebody answers that all is well, but does not answer as the service does. */
export function notOurs({ url, status }: Response, what: string): never {
  throw new HoldfastApiError(status, `${url} answered ${status} with ${what}: is baseUrl the address of the service?`);
}

export function apiError(status: number, text: string): HoldfastApiError {
  return new HoldfastApiError(status, reasonIn(text) ?? `the service answered ${status}`);
}

/** A failure that another try may not meet: of the network, or of a proxy before the service. */
export function isPassing(cause: unknown): boolean {
  if (cause instanceof HoldfastApiError) return passing.has(cause.status);
  return cause instanceof TypeError || (cause instanceof Error && cause.name === 'TimeoutError');
}

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined;
}
