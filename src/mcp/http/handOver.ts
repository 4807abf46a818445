import type { ServerResponse } from 'node:http';
import { type NodeIncomingMessageLike, toWebRequest } from '@modelcontextprotocol/node';
import { isOver, whenOver } from '../../http/index.ts';

interface HandOver {
  /** Answers a request of the protocol, as the SDK does. */
  fetch(request: Request): Promise<Response>;
  /** The parts of the request that the SDK reads. */
  request: NodeIncomingMessageLike;
  response: ServerResponse;
  /** Completes the text of an answer, or of one event. */
  complete(text: string): string | Buffer;
}

/**
 * Lets the SDK answer, and writes its answer. A JSON answer is one write with its length: the SDK's
 * adapter would stream it in parts, which costs half as much CPU as the whole call. Events are
 * written as they come.
 */
export async function handOver({ fetch, request, response, complete }: HandOver): Promise<void> {
  // Without a signal, which costs memory and CPU: calls end by the signal of our own, and a stream
  // of events when it is no longer read.
  const answer = await fetch(await toWebRequest(request));
  if (isOver(response) || response.headersSent) await answer.body?.cancel();
  else if (answer.headers.get('content-type') === 'text/event-stream') await writeEvents(answer, response, complete);
  else writeWhole(answer, complete(await answer.text()), response);
}

function writeWhole({ status, headers }: Response, body: string | Buffer, response: ServerResponse): void {
  // The answer may have ended meanwhile, with its key.
  if (isOver(response) || response.headersSent) return;
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, { ...Object.fromEntries(headers), 'content-length': length }).end(body);
}

/** The SDK makes each event one chunk. */
async function writeEvents(answer: Response, response: ServerResponse, complete: HandOver['complete']): Promise<void> {
  const decoder = new TextDecoder();
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const chunk of answer.body ?? []) {
    if (isOver(response)) return;
    if (!response.write(complete(decoder.decode(chunk, { stream: true })))) await drained(response);
  }
  response.end();
}

/** Resolves when the caller reads on, or has gone. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const forget = whenOver(response, resolve);
    response.once('drain', () => {
      forget();
      resolve();
    });
  });
