import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { assertAllowedUrl, guardedLookup, type TargetRules } from '../../../engine/net/index.ts';

export interface HttpClientOptions {
  /** The addresses that may be called. Checked for every request, because names may move. */
  rules: TargetRules;
  /** Limits of the connections that are kept open. Default: a connection for each request. */
  pool?: { socketsPerOrigin: number; sockets: number };
}

export interface HttpRequest {
  method: 'POST' | 'HEAD';
  url: string;
  headers: Readonly<Record<string, string | number>>;
  body?: Buffer | undefined;
  onResponse: (response: IncomingMessage) => void;
  /** The request ended without a response, or while the response was read. */
  onError: (error: Error & { code?: string | undefined }, isStaleConnection: boolean) => void;
}

/** Requests to runners: no redirects followed. */
export class HttpClient {
  /** The number of requests to one origin at once. Further ones would wait in the pool, unseen. */
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

  /** Starts a request. Throws `invalid` if the URL must not be called. */
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
