import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';

export interface HttpClientOptions {
  /** Resolves names, and refuses addresses that must not be called (11 of the limits on targets). */
  lookup: LookupFunction;
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
  readonly #lookup: LookupFunction;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  constructor({ lookup, sockets, socketsPerOrigin }: HttpClientOptions) {
    const pool = {
      keepAlive: true,
      maxSockets: socketsPerOrigin,
      maxTotalSockets: sockets,
      scheduling: 'lifo',
    } as const;
    this.#lookup = lookup;
    this.#http = new HttpAgent(pool);
    this.#https = new HttpsAgent(pool);
  }

  /** Starts a request. Destroying what it returns ends it without a word to the caller. */
  send({ method, url, headers, body, onResponse, onError }: HttpRequest): ClientRequest {
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
