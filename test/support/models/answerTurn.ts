import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { renderChat } from './chat.ts';
import { renderEmbeddings } from './embeddings.ts';
import type { Received } from './fakeProvider.ts';
import { type Rendered, renderMessages } from './messages.ts';
import { renderResponses } from './responses.ts';
import { type FullTurn, fullTurn, type Turn } from './turn.ts';

/** Answers a request with a turn, in the format of its path. */
export async function answerTurn(given: Turn, received: Received, response: ServerResponse): Promise<void> {
  const { body, path } = received;
  const turn = fullTurn(given, typeof body['model'] === 'string' ? body['model'] : 'fake-model');
  if (turn.fault === 'hang before headers') return;
  if (turn.fault === 'reset before headers') {
    response.socket?.resetAndDestroy();
    return;
  }
  response.setHeader('request-id', `req_${received.at.getTime()}`);
  for (const [name, value] of Object.entries(turn.headers ?? {})) response.setHeader(name, value);
  if (turn.refusal) return refuse(turn.refusal, received, response);
  if (path.endsWith('/models')) return sendDocument({ data: [{ id: turn.model, object: 'model' }] }, turn, response);
  if (path.endsWith('/embeddings')) return sendDocument(renderEmbeddings(turn, body), turn, response);
  const rendered = render(turn, received);
  if (!rendered) return refuse({ status: 404, type: 'not_found_error', message: 'no such path' }, received, response);
  if (body['stream'] !== true || turn.plain) return sendDocument(rendered.document, turn, response);
  return sendStream(rendered, turn, response);
}

function render(turn: FullTurn, { path, body }: Received): Rendered | undefined {
  if (path.endsWith('/v1/messages')) return renderMessages(turn);
  if (path.endsWith('/responses')) return renderResponses(turn);
  if (!path.endsWith('/chat/completions')) return undefined;
  const options = body['stream_options'];
  const withUsage = typeof options === 'object' && options !== null && 'include_usage' in options;
  return renderChat(turn, { withUsage });
}

function refuse(refusal: NonNullable<Turn['refusal']>, { body }: Received, response: ServerResponse): void {
  const { status, type = 'some_error', code = null, message = 'the fake says no', echo, hang } = refusal;
  const words = echo ? `${message}: ${JSON.stringify(body)}` : message;
  response.writeHead(status, { 'content-type': 'application/json' });
  const text = refusal.body ?? JSON.stringify({ type: 'error', error: { type, message: words, code } });
  if (hang) response.write(text.slice(0, 5));
  else response.end(text);
}

function sendDocument(document: unknown, turn: FullTurn, response: ServerResponse): void {
  const text = JSON.stringify(document);
  const bytes = Buffer.from(turn.fault === 'truncated JSON' ? text.slice(0, text.length / 2) : text);
  response.setHeader('content-type', 'application/json');
  if (turn.compressed) response.setHeader('content-encoding', 'gzip');
  response.end(turn.compressed ? gzipSync(bytes) : bytes);
}

async function sendStream(rendered: Rendered, turn: FullTurn, response: ServerResponse): Promise<void> {
  const { fault } = turn;
  response.setHeader('content-type', 'text/event-stream');
  if (turn.compressed) return sendCompressed(rendered, response);
  response.flushHeaders();
  if (fault === 'hang after headers') return;
  if (fault === 'empty') return void response.end();
  if (fault === 'no JSON') return void response.end('data: <html>\n\n');
  if (typeof fault === 'object' && 'errorFirst' in fault) {
    return void response.end(rendered.errorFrame(fault.errorFirst));
  }
  const all = [...rendered.opening, ...rendered.rest].join('');
  if (fault === 'slow bytes') return sendSlowly(all, response);
  await write(response, rendered.opening.join(''));
  if (fault === 'endless') return sendEndlessly(rendered, response);
  if (fault === 'hang midway') return;
  if (fault === 'cut midway') return void response.end();
  if (fault === 'reset midway') return void response.socket?.resetAndDestroy();
  if (fault === 'truncated JSON') return void response.end(`${rendered.rest.join('').slice(0, 20)}\n\n`);
  if (typeof fault === 'object') return void response.end(rendered.errorFrame(fault.errorMidway));
  await write(response, rendered.rest.join(''));
  if (fault !== 'hang at the end') response.end();
}

function sendCompressed({ opening, rest }: Rendered, response: ServerResponse): void {
  response.setHeader('content-encoding', 'gzip');
  response.end(gzipSync([...opening, ...rest].join('')));
}

/** One byte at a time, each in its own turn of the event loop. */
async function sendSlowly(text: string, response: ServerResponse): Promise<void> {
  for (const byte of Buffer.from(text)) {
    response.write(Buffer.of(byte));
    await setImmediate();
  }
  response.end();
}

/** Repeats the piece that came last until nobody listens. */
async function sendEndlessly({ opening }: Rendered, response: ServerResponse): Promise<void> {
  const piece = (opening.at(-1) ?? '').repeat(100);
  while (!response.destroyed) await write(response, piece);
}

const write = (response: ServerResponse, text: string): Promise<void> =>
  new Promise((resolve) => {
    response.once('close', resolve);
    response.write(text, () => {
      response.off('close', resolve);
      resolve();
    });
  });
