import type { IncomingMessage, ServerResponse } from 'node:http';
import { consoleLogger } from '../config.ts';
import { isError } from '../isError.ts';
import { requestLimit } from '../requestLimit.ts';
import { readBody } from './readBody.ts';
import { type FetchHandler, refused, tooLarge } from './serve.ts';

/** A handler for Node's http server, and for frameworks on it: Express, Connect, NestJS. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Serves a fetch handler from Node's http server or Express. Mount it before any body parser,
 * because the signature covers the raw bytes. Parsers that keep these (`rawBody`, `express.raw`)
 * are fine.
 *
 * @example
 * ```ts
 * app.all('/holdfast', toNodeHandler(serve(hf)));
 * ```
 */
export function toNodeHandler(handler: FetchHandler): NodeHandler {
  const maxBytes = requestLimit(handler);
  const logger = handler.logger ?? consoleLogger;
  let isMisplaced = false;
  /** Logged once: the cause is the server's setup, and any caller can trigger it. */
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
      // If the caller hung up, there is neither a failure to log nor a caller to answer.
      if (outgoing.destroyed) return;
      logger.error(`holdfast: a request could not be answered: ${isError(cause) ? cause.message : cause}`);
      if (!outgoing.headersSent) outgoing.writeHead(500, { 'content-type': 'text/plain' });
      outgoing.end('the runner failed');
    }
  };
}

const misplacedReason = 'the body was already read: mount this handler before any body parser';

/** The fields in which parsers leave a body: its raw bytes, or a parsed value. */
interface ParsedMessage extends IncomingMessage {
  readonly rawBody?: unknown;
  readonly body?: unknown;
}

type Body = Uint8Array<ArrayBuffer> | null;

/** The raw bytes of the body. A parsed body cannot be restored to the signed bytes. */
async function bodyOf(incoming: ParsedMessage, maxBytes: number): Promise<Body | 'consumed' | 'too large'> {
  if (incoming.method === 'GET' || incoming.method === 'HEAD') return null;
  // Refuses a declared length before reading. After stopping midway, the server could not answer.
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
