import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BodyRoom, maxBodyBytes, RequestAborted, readText } from '../../src/http/index.ts';
import { failureOf } from '../../src/rest/serve/errors.ts';

let room = new BodyRoom(100 * maxBodyBytes);
let server: Server;
let port: number;
let lastError: (error: unknown) => void = () => {};

beforeAll(async () => {
  server = createServer((incoming, response) => {
    readText(incoming, room).then(
      (text) => response.end(String(text.length)),
      (error) => {
        lastError(error);
        const { status, error: message } = failureOf(error);
        response.writeHead(status).end(message);
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function post(
  body: string | Buffer,
  { chunked = false, headers = {} }: { chunked?: boolean; headers?: Record<string, string> } = {},
): Promise<{ status: number | undefined; text: string }> {
  const outgoing = request({ port, method: 'POST', headers });
  if (!chunked) outgoing.setHeader('content-length', Buffer.byteLength(body));
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.on('error', () => {});
  outgoing.end(body);
  const [incoming] = await answered;
  const text = (await incoming.setEncoding('utf8').toArray()).join('');
  return { status: incoming.statusCode, text };
}

const tooLarge = { status: 413, text: 'request body too large' };

test('a body of 1 MiB is read, declared or chunked', async () => {
  const body = 'x'.repeat(maxBodyBytes);
  expect(await post(body)).toEqual({ status: 200, text: String(maxBodyBytes) });
  expect(await post(body, { chunked: true })).toEqual({ status: 200, text: String(maxBodyBytes) });
});

test('a body one byte larger answers 413, declared or chunked', async () => {
  const body = 'x'.repeat(maxBodyBytes + 1);
  expect(await post(body)).toEqual(tooLarge);
  expect(await post(body, { chunked: true })).toEqual(tooLarge);
});

test('a client that goes on sending past the limit still reads the 413', async () => {
  expect(await post(Buffer.alloc(8 * 1024 * 1024, 'x'))).toEqual(tooLarge);
  expect(await post(Buffer.alloc(8 * 1024 * 1024, 'x'), { chunked: true })).toEqual(tooLarge);
});

test('a compressed body answers 415; identity is no compression', async () => {
  expect(await post(gzipSync('{}'), { headers: { 'content-encoding': 'gzip' } })).toMatchObject({ status: 415 });
  expect(await post('{}', { headers: { 'content-encoding': 'identity' } })).toMatchObject({ status: 200 });
});

test('bytes that are not UTF-8 answer 400: overlong forms, surrogates and cut sequences too', async () => {
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]])
    expect(await post(Buffer.from(bytes))).toEqual({ status: 400, text: 'the body is not valid UTF-8' });
});

test('a caller that hangs up in the middle of a body is no fault of ours', async () => {
  const failed = new Promise<unknown>((resolve) => {
    lastError = resolve;
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc', () => socket.destroy());
  expect(await failed).toBeInstanceOf(RequestAborted);
});

test('beyond the memory of the process, the oldest unfinished body answers 503, and others are read', async () => {
  room = new BodyRoom(1_000);
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2000\r\n\r\n${'x'.repeat(900)}`);
  await expect.poll(() => room.heldBytes).toBe(900);
  expect(await post('y'.repeat(200))).toEqual({ status: 200, text: '200' });
  expect((await socket.toArray()).join('')).toMatch(/^HTTP\/1.1 503 .*too many request bodies are arriving: retry/s);
  expect(await post('z'.repeat(1_001))).toMatchObject({ status: 503 });
  expect(room.heldBytes).toBe(0);
});
