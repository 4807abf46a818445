import type { ServerResponse } from 'node:http';
import { type NodeIncomingMessageLike, toWebRequest } from '@modelcontextprotocol/node';
import { isOver, whenOver } from '../../http/index.ts';

interface HandOver {
  /** Answers a request of the protocol, as the SDK does. */
  fetch(request: Request): Promise<Response>;
  /** The parts of the request that the SDK reads. */
  request: NodeIncomingMessageLike;
  response: ServerResponse;
  /** Completes the text of an answer in JSON. */
  complete(text: string): string;
}

/**
 * Lets the SDK answer, and writes its answer. A JSON answer is one write with its length: the SDK's
 * adapter would stream it in parts, which costs half as much CPU as the whole call. Events are
 * written as they come.
 */
export async function handOver({ fetch, request, response, complete }: HandOver): Promise<void> {
  const gone = new AbortController();
  const forget = whenOver(response, () => gone.abort(callerGone));
  try {
    const answer = await fetch(await toWebRequest(request, undefined, { signal: gone.signal }));
    if (isOver(response) || response.headersSent) await answer.body?.cancel();
    else if (answer.headers.get('content-type') === 'text/event-stream') await writeEvents(answer, response);
    else writeWhole(answer, complete(await answer.text()), response);
  } finally {
    forget();
  }
}

/** One for all: making an error costs more than the rest of an abort. */
const callerGone = new Error('the caller has gone');

function writeWhole({ status, headers }: Response, text: string, response: ServerResponse): void {
  // The answer may have ended meanwhile, with its key.
  if (isOver(response) || response.headersSent) return;
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, { ...Object.fromEntries(headers), 'content-length': length }).end(text);
}

async function writeEvents(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const chunk of answer.body ?? []) {
    if (isOver(response)) return;
    if (!response.write(chunk)) await drained(response);
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
