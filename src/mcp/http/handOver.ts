import type { ServerResponse } from 'node:http';
import { isOver, whenOver } from '../../http/index.ts';

/** Answers a request of the protocol, as the SDK does. */
export type Fetch = (request: Request) => Promise<Response>;

/**
 * Lets the SDK answer, and writes its answer. A JSON answer is one write with its length; the SDK's
 * own adapter streams it in parts, which takes twice the CPU. Events are written as they come.
 */
export async function handOver(fetch: Fetch, headers: Record<string, string>, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  const forget = whenOver(response, () => gone.abort(callerGone));
  try {
    const answer = await fetch(new Request(address, { method: 'POST', headers, signal: gone.signal }));
    if (isOver(response)) await answer.body?.cancel();
    else if (answer.headers.get('content-type') === 'text/event-stream') await writeEvents(answer, response);
    else await writeWhole(answer, response);
  } finally {
    forget();
  }
}

/** The SDK looks at the path of no request. */
const address = 'http://localhost/mcp';

/** One for all: making an error costs more than the rest of an abort. */
const callerGone = new Error('the caller has gone');

async function writeWhole(answer: Response, response: ServerResponse): Promise<void> {
  const text = await answer.text();
  if (isOver(response)) return;
  response.writeHead(answer.status, {
    ...Object.fromEntries(answer.headers),
    'content-length': String(Buffer.byteLength(text)),
  });
  response.end(text);
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
