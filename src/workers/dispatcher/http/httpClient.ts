import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { assertAllowedUrl, guardedLookup, type TargetRules } from '../../../engine/net/index.ts';

export interface HttpClientOptions {
  /**
   * Which addresses may be called: held for every request, whatever they were when the URL was
   * registered.
   */
  rules: TargetRules;
  /**
   * Connections that are kept open for more requests, and how many there may be. Without: one for
   * each request.
   */
  pool?: { socketsPerOrigin: number; sockets: number };
}

export interface HttpRequest {
  method: 'POST' | 'HEAD';
  url: string;
  headers: Readonly<Record<string, string | number>>;
  body?: Buffer | undefined;
  onResponse: (response: IncomingMessage) => void;
  /** The request ended without a response, or while one was read. */
  onError: (error: Error & { code?: string | undefined }, isStaleConnection: boolean) => void;
}

/** Requests to runners: no redirects followed. */
export class HttpClient {
  /** Requests to one origin that go out at once. More would wait here, out of sight. */
  readonly atOnce: number;
  readonly #rules: TargetRules;
  readonly #lookup: LookupFunction;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  constructor({ pool, rules }: HttpClientOptions) {
    const options = pool
      ? ({
          keepAlive: true,
          maxSockets: pool.socketsPerOrigin,
          maxTotalSockets: pool.sockets,
          scheduling: 'lifo',
        } as const)
      : { keepAlive: false };
    this.atOnce = Math.min(
      pool?.socketsPerOrigin ?? Number.POSITIVE_INFINITY,
      pool?.sockets ?? Number.POSITIVE_INFINITY,
    );
    this.#rules = rules;
    this.#lookup = guardedLookup(rules);
    this.#http = new HttpAgent(options);
    this.#https = new HttpsAgent(options);
  }

  /** Starts a request. Throws `invalid` when the URL must not be called. */
  send({ method, url, headers, body, onResponse, onError }: HttpRequest): ClientRequest {
    assertAllowedUrl(url, this.#rules);
    const isSecure = url.startsWith('https:');
    const options = { method, headers, agent: isSecure ? this.#https : this.#http, lookup: this.#lookup };
    const request = isSecure ? httpsRequest(url, options) : httpRequest(url, options);
    request.on('response', onResponse);
    request.on('error', (error) => onError(error, request.reusedSocket));
    request.end(body);
    return request;
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}
