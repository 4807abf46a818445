import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import type { ResolveAll } from '../../../src/engine/net/index.ts';
import { reasonOf } from '../../../src/workers/webhooks/http/reasons.ts';
import { WebhookClient } from '../../../src/workers/webhooks/http/webhookClient.ts';
import { openRawReceiver, Receiver } from './receiver.ts';
import { useSite } from './site.ts';

const timeoutMs = 400;
const toLoopback: ResolveAll = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);
const site = useSite({ webhookTimeoutMs: timeoutMs });

/** Makes one attempt at a URL, and returns what was recorded. */
async function attemptAt(url: string) {
  const endpointId = await site.endpoint(url);
  const [id = ''] = await site.scene.deliveries(1, { endpointId });
  const sender = site.sender();
  await sender.runOnce();
  expect(sender.stats()).toEqual({ leases: 0, requests: 0, bodyBytes: 0 });
  const { status } = await site.scene.delivery(id);
  return { ...(await site.attemptOf(id)), status };
}

/** Writes for as long as the other side reads. Returns how many bytes were written in the end. */
function flood(socket: Socket, chunk: Buffer): { written: () => number } {
  const write = (): void => {
    if (socket.destroyed) return;
    while (!socket.destroyed && socket.write(chunk)) if (socket.bytesWritten > 256 * 1024 * 1024) return;
    socket.once('drain', write);
  };
  write();
  return { written: () => socket.bytesWritten };
}

/** More than buffers of the kernel on both sides hold. */
const manyBytes = 16 * 1024 * 1024;

describe('an answer', () => {
  test.each([
    [200, 'succeeded', 'succeeded'],
    [299, 'succeeded', 'succeeded'],
    [302, 'http_error', 'failed'],
    [404, 'http_error', 'dead'],
    [410, 'http_error', 'dead'],
    [429, 'http_error', 'failed'],
    [500, 'http_error', 'failed'],
  ])('of %i is %s', async (statusCode, outcome, status) => {
    const receiver = await Receiver.open((_, response) =>
      response.writeHead(statusCode, { location: '/other' }).end('text'),
    );
    expect(await attemptAt(receiver.url)).toMatchObject({
      outcome,
      status,
      statusCode,
      responseSnippet: 'text',
      error: null,
    });
    expect(receiver.received).toHaveLength(1);
  });

  test.each([
    ['7', 7_000],
    [new Date(Date.now() + 3_000_000).toUTCString(), 2_990_000],
  ])('may ask for a delay: Retry-After %s', async (value, leastMs) => {
    const receiver = await Receiver.open((_, response) => response.writeHead(503, { 'retry-after': value }).end());
    const endpointId = await site.endpoint(receiver.url);
    const [id = ''] = await site.scene.deliveries(1, { endpointId });
    await site.sender().runOnce();
    const { nextAttemptAt } = await site.scene.delivery(id);
    const inMs = (nextAttemptAt?.getTime() ?? 0) - Date.now();
    expect(inMs).toBeGreaterThan(leastMs - 1_000);
    expect(inMs).toBeLessThan(leastMs * 1.1 + 15_000);
  });

  test('is kept up to 1 KiB, and never with half a character', async () => {
    const receiver = await Receiver.open((_, response) => response.writeHead(200).end('€'.repeat(5_000)));
    expect((await attemptAt(receiver.url)).responseSnippet).toBe('€'.repeat(341));
  });

  test('that is no UTF-8, or has U+0000, is kept as far as text can hold it', async () => {
    const receiver = await Receiver.open((_, response) => response.writeHead(200).end(Buffer.from([0xff, 0, 0x41])));
    expect((await attemptAt(receiver.url)).responseSnippet).toBe('ÿA');
  });

  test('without end is read up to 16 KiB, and counts by its status', async () => {
    let flooded: { written: () => number } | undefined;
    const url = await openRawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n');
      flooded = flood(socket, Buffer.alloc(65_536, 'x'));
    });
    expect(await attemptAt(url)).toMatchObject({
      outcome: 'succeeded',
      statusCode: 200,
      responseSnippet: 'x'.repeat(1024),
    });
    expect(flooded?.written()).toBeLessThan(manyBytes);
  });

  test('of one byte now and then is a timeout, with the status that had arrived', async () => {
    const url = await openRawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const attempt = await attemptAt(url);
    expect(attempt).toMatchObject({ outcome: 'timeout', statusCode: 200, status: 'failed' });
    expect(attempt.error).toMatch(/no complete answer within \d+ ms/);
  });

  test('that never comes is a timeout', async () => {
    const url = await openRawReceiver(() => undefined);
    expect(await attemptAt(url)).toMatchObject({
      outcome: 'timeout',
      statusCode: null,
      responseHeaders: null,
      status: 'failed',
    });
  });

  test('with headers without end is an error of HTTP, and read no further', async () => {
    let flooded: { written: () => number } | undefined;
    const url = await openRawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      flooded = flood(socket, Buffer.from(`x-padding: ${'y'.repeat(1_000)}\r\n`.repeat(64)));
    });
    expect(await attemptAt(url)).toMatchObject({
      outcome: 'http_error',
      status: 'failed',
      error: expect.stringContaining('the headers of the answer are too large'),
    });
    expect(flooded?.written()).toBeLessThan(manyBytes);
  });

  test('with one header without end is an error of HTTP', async () => {
    const url = await openRawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-long: ');
      flood(socket, Buffer.alloc(65_536, 'x'));
    });
    expect(await attemptAt(url)).toMatchObject({ outcome: 'http_error', status: 'failed' });
  });

  test('that is announced again and again by 1xx is cut off', async () => {
    let flooded: { written: () => number } | undefined;
    const url = await openRawReceiver((socket) => {
      flooded = flood(socket, Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000)));
    });
    expect(await attemptAt(url)).toMatchObject({ outcome: 'connection_error', status: 'failed' });
    expect(flooded?.written()).toBeLessThan(manyBytes);
  });

  test('that is compressed is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const receiver = await Receiver.open((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    expect(await attemptAt(receiver.url)).toMatchObject({
      outcome: 'succeeded',
      statusCode: 200,
      responseSnippet: null,
    });
    expect(receiver.received[0]?.headers['accept-encoding']).toBeUndefined();
  });

  test('that breaks off is a connection error, with the status that had arrived', async () => {
    const url = await openRawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nxx', () => socket.resetAndDestroy());
    });
    expect(await attemptAt(url)).toMatchObject({ outcome: 'connection_error', statusCode: 200, status: 'failed' });
  });

  test('that is complete counts, even if the connection is reset right after it', async () => {
    const url = await openRawReceiver((socket) => {
      socket.write('HTTP/1.1 204 No Content\r\n\r\n', () => socket.resetAndDestroy());
    });
    expect(await attemptAt(url)).toMatchObject({ outcome: 'succeeded', statusCode: 204 });
  });

  test('that is not HTTP is a connection error', async () => {
    const url = await openRawReceiver((socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'));
    expect(await attemptAt(url)).toMatchObject({
      outcome: 'connection_error',
      error: expect.stringContaining('not HTTP'),
    });
  });

  test('by a reset, or by a closed connection, is a connection error', async () => {
    const reset = await openRawReceiver((socket) => socket.resetAndDestroy());
    expect(await attemptAt(reset)).toMatchObject({ outcome: 'connection_error', statusCode: null });
    const closed = await openRawReceiver((socket) => socket.end());
    expect(await attemptAt(closed)).toMatchObject({ outcome: 'connection_error', statusCode: null });
  });

  test('of an upgrade or of a continue that nobody asked for is a connection error', async () => {
    for (const status of ['101 Switching Protocols', '100 Continue']) {
      const url = await openRawReceiver((socket) =>
        socket.write(`HTTP/1.1 ${status}\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n`),
      );
      expect(await attemptAt(url)).toMatchObject({ outcome: 'connection_error', statusCode: null });
    }
  });

  test('by nobody is a connection error', async () => {
    const receiver = await Receiver.open();
    await receiver.close();
    expect(await attemptAt(receiver.url)).toMatchObject({
      outcome: 'connection_error',
      error: 'the receiver refused the connection (ECONNREFUSED)',
    });
    expect((await attemptAt('http://no-such-name.invalid/')).error).toMatch(/was not found|request failed/);
  });
});

describe('an address that is not allowed', () => {
  const guarded = useSite({ allowPrivateTargets: false, webhookTimeoutMs: timeoutMs });

  test.each([
    'http://127.0.0.1:9/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://localhost/',
    'http://user:password@example.com/',
  ])('is refused before a connection: %s', async (url) => {
    const endpointId = await guarded.endpoint(url);
    const [id = ''] = await guarded.scene.deliveries(1, { endpointId });
    await guarded.sender().runOnce();
    expect(await guarded.attemptOf(id)).toMatchObject({
      outcome: 'connection_error',
      error: expect.stringContaining('the target address is not allowed: '),
    });
  });
});

describe('a name whose address moves', () => {
  test('is refused when it is resolved', () => {
    const error = Object.assign(new Error('moved.example.com resolves to no allowed address'), {
      code: 'EFORBIDDENTARGET',
    });
    expect(reasonOf(error)).toEqual({
      outcome: 'connection_error',
      text: 'the target address is not allowed: its name resolves to no allowed address',
    });
  });

  test('is resolved once for all requests that wait for it', async () => {
    const asked: Parameters<ResolveAll>[] = [];
    const client = new WebhookClient({
      rules: { allowPrivate: true },
      timeoutMs,
      resolveAll: (...args) => void asked.push(args),
    });
    const send = () => client.send({ url: 'http://slow.example.com/', headers: {}, body: Buffer.from('{}') });
    const all = Promise.all(Array.from({ length: 10 }, send));
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    for (const [, , callback] of asked) callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
    const endings = await all;
    await client.close();
    expect(new Set(endings.map((ending) => ending.kind === 'failed' && reasonOf(ending.error).text))).toEqual(
      new Set(['the name of the receiver was not found (ENOTFOUND)']),
    );
    expect(asked).toHaveLength(1);
  });

  test('is refused by the connection, although its URL is allowed', async () => {
    const client = new WebhookClient({ rules: { allowPrivate: false }, timeoutMs, resolveAll: toLoopback });
    const ending = await client.send({ url: 'http://rebinding.example.com/', headers: {}, body: Buffer.from('{}') });
    await client.close();
    expect(ending.kind === 'failed' && reasonOf(ending.error).text).toContain('resolves to no allowed address');
  });
});
