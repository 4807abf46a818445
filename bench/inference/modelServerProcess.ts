// A provider of models in a process of its own: it streams Anthropic messages. The model's name
// tells how: `ms-<n>` answers after n ms, `stream-<n>` sends a piece every second for n seconds.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** The instants of a request, in ms since the epoch. */
export interface ServedCall {
  receivedAt: number;
  endedAt: number;
}

export interface ModelReport {
  /** Requests that have been received. */
  received: number;
  /** By the prompt. */
  calls: Record<string, ServedCall>;
}

let report: ModelReport = { received: 0, calls: {} };

const now = (): number => performance.timeOrigin + performance.now();

function send(response: ServerResponse, type: string, fields: object): void {
  response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const receivedAt = now();
  report.received += 1;
  const { model, messages }: { model: string; messages: unknown } = JSON.parse(await text(request));
  const [, kind = '', amount = '0'] = /^(ms|stream)-(\d+)$/.exec(model) ?? [];
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'bench' });
  const usage = { input_tokens: 10, output_tokens: 1 };
  const message = { id: 'msg', type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage };
  send(response, 'message_start', { message });
  send(response, 'content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  if (kind === 'ms') await delay(Number(amount));
  const pieces = kind === 'stream' ? Number(amount) : 1;
  for (let piece = 0; piece < pieces && !response.destroyed; piece += 1) {
    if (kind === 'stream') await delay(1_000);
    send(response, 'content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'word ' } });
  }
  send(response, 'content_block_stop', { index: 0 });
  send(response, 'message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage });
  send(response, 'message_stop', {});
  response.end(() => {
    const [, prompt = ''] = /#(\d+)/.exec(JSON.stringify(messages)) ?? [];
    report.calls[prompt] = { receivedAt, endedAt: now() };
  });
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }));

process.on('message', (question: 'report' | 'forget') => {
  process.send?.({ report });
  if (question === 'forget') report = { received: 0, calls: {} };
});
process.on('disconnect', () => process.exit());
