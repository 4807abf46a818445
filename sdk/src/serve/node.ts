import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestLimit } from '../requestLimit.ts';
import { readBody } from './readBody.ts';
import { type FetchHandler, tooLarge } from './serve.ts';

/** A handler of Node's http server, and of what is built on it: Express, Connect, NestJS. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Serves a fetch handler from Node's http server or Express. Put it before anything that reads request bodies: the
 * signature covers the bytes as they were sent.
 *
 * @example
 * app.all('/holdfast', toNodeHandler(serve(hf)));
 */
export function toNodeHandler(handler: FetchHandler): NodeHandler {
  return async (incoming, outgoing) => {
    const abort = new AbortController();
    outgoing.on('close', () => abort.abort());
    try {
      const maxBytes = requestLimit(handler);
      const request = await toRequest(incoming, maxBytes, abort.signal);
      await send(request === undefined ? tooLarge(maxBytes) : await handler(request), outgoing);
    } catch (cause) {
      const reason = cause instanceof BodyConsumedError ? cause.message : 'the runner failed';
      if (!outgoing.headersSent) outgoing.writeHead(500, { 'content-type': 'text/plain' });
      outgoing.end(reason);
    }
  };
}

class BodyConsumedError extends Error {}

/** Undefined where the body is too large. */
async function toRequest(
  incoming: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Request | undefined> {
  const method = incoming.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  if (hasBody && incoming.readableDidRead) {
    throw new BodyConsumedError('the body was already read: mount this handler before any body parser');
  }
  // Refused before it is read, where its length is told: who stops in the middle cannot answer any more.
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) return undefined;
  const body = hasBody ? await readBody(incoming, maxBytes) : null;
  if (body === undefined) return undefined;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return new Request(`http://${incoming.headers.host ?? 'localhost'}${incoming.url ?? '/'}`, {
    method,
    headers,
    signal,
    body,
  });
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': body.byteLength });
  outgoing.end(body);
}
