import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { assertAllowedUrl, guardedLookup, type TargetRules } from '../../../engine/net/index.ts';

export interface HttpClientOptions {
  /** Which addresses may be called: held for every request, whatever they were when the URL was registered. */
  rules: TargetRules;
  socketsPerOrigin: number;
  sockets: number;
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

/** Requests to runners: connections kept open and bounded in number, no redirects followed. */
export class HttpClient {
  readonly #rules: TargetRules;
  readonly #lookup: LookupFunction;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  constructor({ rules, sockets, socketsPerOrigin }: HttpClientOptions) {
    const pool = {
      keepAlive: true,
      maxSockets: socketsPerOrigin,
      maxTotalSockets: sockets,
      scheduling: 'lifo',
    } as const;
    this.#rules = rules;
    this.#lookup = guardedLookup(rules);
    this.#http = new HttpAgent(pool);
    this.#https = new HttpsAgent(pool);
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
