import type { IncomingMessage, ServerResponse } from 'node:http';
import { consoleLogger } from '../config.ts';
import { isError } from '../isError.ts';
import { requestLimit } from '../requestLimit.ts';
import { readBody } from './readBody.ts';
import { type FetchHandler, refused, tooLarge } from './serve.ts';

/** A handler of Node's http server, and of what is built on it: Express, Connect, NestJS. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Serves a fetch handler from Node's http server or Express. Put it before anything that reads
 * request bodies: the signature covers the bytes as they were sent. Behind a parser that keeps
 * those (`rawBody`, `express.raw`) it takes them.
 *
 * @example
 * app.all('/holdfast', toNodeHandler(serve(hf)));
 */
export function toNodeHandler(handler: FetchHandler): NodeHandler {
  const maxBytes = requestLimit(handler);
  const logger = handler.logger ?? consoleLogger;
  let isMisplaced = false;
  /**
   * Said once: it is a matter of how the server is put together, and whoever can reach the server
   * can cause it.
   */
  const misplaced = (): Response => {
    if (!isMisplaced) logger.error(`holdfast: an invoke was refused: ${misplacedReason}`);
    isMisplaced = true;
    return refused(400, misplacedReason);
  };
  return async (incoming, outgoing) => {
    const abort = new AbortController();
    outgoing.on('close', () => abort.abort());
    try {
      const body = await bodyOf(incoming, maxBytes);
      if (body === 'consumed') await send(misplaced(), outgoing);
      else if (body === 'too large') await send(tooLarge(maxBytes), outgoing);
      else await send(await handler(toRequest(incoming, body, abort.signal)), outgoing);
    } catch (cause) {
      // A caller that hung up is no failure of ours, and nobody is there to be told.
      if (outgoing.destroyed) return;
      logger.error(`holdfast: a request could not be answered: ${isError(cause) ? cause.message : cause}`);
      if (!outgoing.headersSent) outgoing.writeHead(500, { 'content-type': 'text/plain' });
      outgoing.end('the runner failed');
    }
  };
}

const misplacedReason = 'the body was already read: mount this handler before any body parser';

/**
 * Where parsers leave the body: the bytes themselves, or, of one that parsed, whatever it came to.
 */
interface ParsedMessage extends IncomingMessage {
  readonly rawBody?: unknown;
  readonly body?: unknown;
}

type Body = Uint8Array<ArrayBuffer> | null;

/**
 * The bytes as they were sent. What was parsed is not written anew: that would be other bytes than
 * were signed.
 */
async function bodyOf(incoming: ParsedMessage, maxBytes: number): Promise<Body | 'consumed' | 'too large'> {
  if (incoming.method === 'GET' || incoming.method === 'HEAD') return null;
  // Refused before it is read, where its length is told: who stops in the middle cannot answer any
  // more.
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) return 'too large';
  if (incoming.rawBody === undefined && !incoming.readableDidRead)
    return (await readBody(incoming, maxBytes)) ?? 'too large';
  const kept = bytesOf(incoming.rawBody) ?? bytesOf(incoming.body);
  if (kept === undefined) return 'consumed';
  return kept.byteLength > maxBytes ? 'too large' : kept;
}

function bytesOf(body: unknown): Buffer<ArrayBuffer> | undefined {
  if (typeof body === 'string') return Buffer.from(body);
  return body instanceof Uint8Array ? Buffer.from(body) : undefined;
}

function toRequest(incoming: IncomingMessage, body: Body, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return new Request(`http://${incoming.headers.host ?? 'localhost'}${incoming.url ?? '/'}`, {
    method: incoming.method ?? 'GET',
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
