import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type ClientOptions, Holdfast } from '../../../sdk/src/index.ts';
import { keptOpen } from '../../support/keptOpen.ts';

export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Respond = (seen: Seen, response: ServerResponse, request: IncomingMessage) => unknown;

/**
 * An HTTP server that records its requests, and answers by a function, until the end of the test.
 */
export async function httpDouble(respond: Respond) {
  const seen: Seen[] = [];
  const server = createServer(keptOpen, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    const entry = { method, url, headers, body };
    seen.push(entry);
    await respond(entry, response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

/** A client of such a server. */
export async function clientOf(respond: Respond, options: ClientOptions = {}) {
  const { url, seen } = await httpDouble(respond);
  return { url, seen, hf: new Holdfast({ baseUrl: `${url}/`, apiKey: 'hf_sk_x', ...options }) };
}

export function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
