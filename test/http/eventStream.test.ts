import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { formatEvent } from '../../src/http/sse.ts';
import { closeEventStreams, openEventStream as open } from './openEventStream.ts';

afterEach(closeEventStreams);

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
  for (const id of ['1', '2']) expect(await stream.write(formatEvent({ id, event: 'e', data: `d${id}` }))).toBe(true);
  stream.end();
  const text = (await reader.setEncoding('utf8').toArray()).join('');
  expect(text).toBe('id: 1\nevent: e\ndata: d1\n\nid: 2\nevent: e\ndata: d2\n\n');
  expect(await stream.write('late')).toBe(false);
});

test('a quiet stream sends comment lines', async () => {
  const { reader, stream } = await open({ commentMs: 5 });
  const [chunk] = (await once(reader.setEncoding('utf8'), 'data')) as [string];
  expect(chunk).toMatch(/^(:\n\n)+$/);
  stream.end();
});

test('E2: a reader that hangs up closes the stream', async () => {
  const { stream, reader } = await open();
  reader.destroy();
  await stream.closed;
  expect(stream.isOpen).toBe(false);
});

test('E1: a reader that reads nothing is cut off, and its unsent data stays bounded', async () => {
  const { stream, reader } = await open({ slowReaderMs: 50 });
  const failed = once(reader, 'error');
  const data = 'x'.repeat(64 * 1024);
  let written = 0;
  while (await stream.write(data)) written += 1;
  expect(stream.isOpen).toBe(false);
  // Only as much as the sockets buffer.
  expect(written).toBeLessThan(500);
  reader.resume();
  await failed;
});

test('unsent data of a slow reader continues when it reads again', async () => {
  const { stream, reader } = await open();
  const data = 'x'.repeat(1024 * 1024);
  const writeAll = async (): Promise<void> => {
    for (let count = 0; count < 12; count += 1) expect(await stream.write(data)).toBe(true);
    stream.end();
  };
  const writing = writeAll();
  const read = (await reader.setEncoding('utf8').toArray()).join('');
  await writing;
  expect(read).toHaveLength(12 * data.length);
});

test('E1: a reader that is offered more than it reads is cut off at a bounded backlog', async () => {
  const { stream, reader } = await open();
  const failed = once(reader, 'error');
  const data = 'x'.repeat(64 * 1024);
  let offered = 0;
  for (; stream.isOpen; offered += 1) stream.offer(data);
  // A megabyte beyond the buffers of the sockets.
  expect(offered).toBeLessThan(200);
  await stream.closed;
  reader.resume();
  await failed;
});

test('E2: a reader that does not read offered data is cut off in time', async () => {
  const { stream } = await open({ slowReaderMs: 20 });
  stream.offer('x'.repeat(900 * 1024));
  stream.offer('x'.repeat(16 * 1024 * 1024));
  await stream.closed;
});

test('the stream of an ended key is cut off soon if its reader is stuck, and ends for others', async () => {
  const stuck = await open();
  const failed = once(stuck.reader, 'error');
  const written = stuck.stream.write('x'.repeat(64 * 1024 * 1024));
  stuck.stream.revoke();
  expect(await written).toBe(false);
  await expect.poll(() => stuck.response.req.socket.destroyed).toBe(true);
  stuck.reader.resume();
  await failed;
  const { stream, reader } = await open();
  await stream.write(formatEvent({ event: 'e', data: 'd' }));
  stream.revoke();
  expect((await reader.setEncoding('utf8').toArray()).join('')).toBe('event: e\ndata: d\n\n');
});
