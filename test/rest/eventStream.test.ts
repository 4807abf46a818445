import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { EventStream } from '../../src/rest/eventStream.ts';

const servers: Server[] = [];

/** A stream with a reader at the other end of a real socket. */
async function open(options: { commentMs?: number; slowReaderMs?: number } = {}): Promise<{
  stream: EventStream;
  reader: IncomingMessage;
}> {
  const server = createServer();
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const sent = get({ port: (server.address() as AddressInfo).port, agent: false });
  const [, response] = await asked;
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  const stream = new EventStream(response, { commentMs: 60_000, slowReaderMs: 60_000, ...options });
  const [reader] = await answered;
  return { stream, reader };
}

const closed = (stream: EventStream): Promise<void> => new Promise((resolve) => stream.onClosed(resolve));

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

test('the head of a stream is sent before there is any event', async () => {
  const { reader } = await open();
  expect(reader.statusCode).toBe(200);
  expect(reader.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
});

test('events arrive in order, and an ended stream ends at the reader', async () => {
  const { stream, reader } = await open();
  for (const id of ['1', '2']) expect(await stream.write({ id, event: 'e', data: `d${id}` })).toBe(true);
  stream.end();
  const text = (await reader.setEncoding('utf8').toArray()).join('');
  expect(text).toBe('id: 1\nevent: e\ndata: d1\n\nid: 2\nevent: e\ndata: d2\n\n');
  expect(await stream.write({ event: 'e', data: 'late' })).toBe(false);
});

test('a quiet stream sends comment lines', async () => {
  const { reader, stream } = await open({ commentMs: 5 });
  const [chunk] = (await once(reader.setEncoding('utf8'), 'data')) as [string];
  expect(chunk).toMatch(/^(:\n\n)+$/);
  stream.end();
});

test('a reader that hangs up closes the stream', async () => {
  const { stream, reader } = await open();
  reader.destroy();
  await closed(stream);
  expect(stream.isOpen).toBe(false);
});

test('a reader that takes nothing is cut off, and never more than a bounded buffer is held for it', async () => {
  const { stream, reader } = await open({ slowReaderMs: 50 });
  const failed = once(reader, 'error');
  const data = 'x'.repeat(64 * 1024);
  let written = 0;
  while (await stream.write({ event: 'e', data })) written += 1;
  expect(stream.isOpen).toBe(false);
  // What fits in the sockets' buffers, not what was on offer.
  expect(written).toBeLessThan(500);
  reader.resume();
  await failed;
});

test('what waits for a slow reader goes on when it reads again', async () => {
  const { stream, reader } = await open();
  const data = 'x'.repeat(1024 * 1024);
  const writeAll = async (): Promise<void> => {
    for (let count = 0; count < 12; count += 1) expect(await stream.write({ event: 'e', data })).toBe(true);
    stream.end();
  };
  const writing = writeAll();
  const read = (await reader.setEncoding('utf8').toArray()).join('');
  await writing;
  expect(read).toHaveLength(12 * 'event: e\ndata: \n\n'.length + 12 * data.length);
});
