import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { createApiKey, revokeApiKey } from '../../src/engine/keys/index.ts';
import { keyRing } from '../../src/engine/keys/keyRing.ts';
import { limitsWith } from '../support/settings.ts';
import { type RestServer, startRest } from './restServer.ts';
import { openStream, type SseReader } from './sseReader.ts';

let rest: RestServer;
const readers: SseReader[] = [];

beforeAll(async () => {
  rest = await startRest();
  await register();
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.leave();
});
afterAll(() => rest.close());

const register = (): Promise<unknown> =>
  rest.call('POST', '/register', {
    app: 'shop',
    runner: 'r1',
    url: 'http://127.0.0.1:9/',
    workflows: [{ name: 'ship', triggers: [{ event: 'go' }] }],
  });

async function open(path: string, headers: Record<string, string> = {}, key = rest.keys.public): Promise<SseReader> {
  const reader = await openStream(rest.url + path, { authorization: `Bearer ${key}`, ...headers });
  readers.push(reader);
  return reader;
}

const send = async (event: object): Promise<{ eventId: string; runId: string }> =>
  (await rest.call('POST', '/events', event)).body;
const start = async (): Promise<string> => (await send({ name: 'go' })).runId;
const cancel = (runId: string): Promise<unknown> => rest.call('POST', `/runs/${runId}/cancel`);

test('a run’s stream replays its timeline from the start, goes on live, and ends with the run', async () => {
  const runId = await start();
  const reader = await open(`/runs/${runId}/stream`);
  expect(reader.status).toBe(200);
  const first = await reader.next();
  expect(first).toEqual({
    event: 'run_status',
    id: '1',
    data: { kind: 'run_status', seq: 1, ts: expect.any(String), runId, status: 'queued' },
  });
  await cancel(runId);
  const rest2 = await reader.rest();
  expect(rest2.at(-1)).toMatchObject({ event: 'run_status', data: { runId, status: 'cancelled' } });
  expect(rest2.map(({ id }) => Number(id))).toEqual(rest2.map((_, index) => index + 2));
});

test('a reader that reconnects with from or Last-Event-ID gets the frames after it, and none twice', async () => {
  const runId = await start();
  await cancel(runId);
  const all = await (await open(`/runs/${runId}/stream`)).rest();
  const [{ id: first = '' } = {}] = all;
  expect(all.length).toBeGreaterThan(1);
  expect(await (await open(`/runs/${runId}/stream?from=${first}`)).rest()).toEqual(all.slice(1));
  expect(await (await open(`/runs/${runId}/stream?from=0`, { 'last-event-id': first })).rest()).toEqual(all.slice(1));
});

test('a reader that comes back to an ended run with nothing left is answered 204', async () => {
  const runId = await start();
  await cancel(runId);
  const last = (await (await open(`/runs/${runId}/stream`)).rest()).at(-1)?.id ?? '';
  expect((await open(`/runs/${runId}/stream?from=${last}`)).status).toBe(204);
  expect((await open(`/runs/${runId}/stream`, { 'last-event-id': last })).status).toBe(204);
});

test('HEAD answers 204 where GET does, and 200 where something is left', async () => {
  const runId = await start();
  const head = async (from: string) => (await rest.call('HEAD', `/runs/${runId}/stream?from=${from}`)).status;
  expect(await head('999')).toBe(200);
  await cancel(runId);
  const last = (await (await open(`/runs/${runId}/stream`)).rest()).at(-1)?.id ?? '';
  expect(await head(last)).toBe(204);
  expect(await head('0')).toBe(200);
});

test('HEAD of a stream has the headers of GET, and no body', async () => {
  const runId = await start();
  for (const path of [`/runs/${runId}/stream`, '/runs/stream', '/events/stream']) {
    const head = await rest.call('HEAD', path);
    expect(head).toMatchObject({ status: 200, text: '' });
    const { headers } = await open(path);
    for (const name of [
      'content-type',
      'cache-control',
      'x-content-type-options',
      'x-accel-buffering',
      'content-length',
    ])
      expect([path, name, head.headers.get(name) ?? undefined]).toEqual([path, name, headers[name]]);
  }
});

test('a malformed position is refused before the stream opens', async () => {
  const runId = await start();
  expect((await open(`/runs/${runId}/stream`, { 'last-event-id': 'x' })).status).toBe(400);
  expect((await open(`/runs/${runId}/stream?from=-1`)).status).toBe(400);
  expect((await open('/events/stream', { 'last-event-id': 'x' })).status).toBe(400);
});

test('the project’s stream sends the status transitions of all runs from now on', async () => {
  const reader = await open('/runs/stream');
  const runId = await start();
  await cancel(runId);
  const change = { kind: 'run_status', runId, app: 'shop', workflow: 'ship', ts: expect.any(String) };
  expect(await reader.next()).toEqual({ event: 'run_status', id: undefined, data: { ...change, status: 'queued' } });
  expect(await reader.next()).toEqual({ event: 'run_status', id: undefined, data: { ...change, status: 'cancelled' } });
});

test('the event stream sends events when they are recorded, in the form of the log', async () => {
  const reader = await open('/events/stream');
  const { eventId } = await send({ name: 'seen', data: { a: null } });
  const record = (await rest.call('GET', `/events/${eventId}`)).body;
  expect(await reader.next()).toEqual({ event: 'event', id: eventId, data: record });
});

test('the event stream sends past events only to a reader that reconnects', async () => {
  const { eventId: before } = await send({ name: 'before' });
  const { eventId: missed } = await send({ name: 'missed' });
  const returning = await open('/events/stream', { 'last-event-id': before });
  const told: unknown[] = [];
  while (told.at(-1) !== missed) told.push((await returning.next())?.id);
  expect(told).not.toContain(before);
  const fresh = await open('/events/stream');
  const { eventId: after } = await send({ name: 'after' });
  expect((await fresh.next())?.id).toBe(after);
});

test('an event that was acknowledged before a stream opened is not told on it, whoever follows already', async () => {
  const first = await open('/events/stream');
  for (let round = 0; round < 10; round += 1) {
    const { eventId: before } = await send({ name: 'before' });
    const second = await open('/events/stream');
    const { eventId: after } = await send({ name: 'after' });
    expect((await second.next())?.id).toBe(after);
    expect([(await first.next())?.id, (await first.next())?.id]).toEqual([before, after]);
    second.leave();
  }
});

test('streams tell nothing of another project', async () => {
  const { secret } = await rest.stranger();
  const events = await open('/events/stream', {}, secret);
  const runs = await open('/runs/stream', {}, secret);
  await cancel(await start());
  await rest.call('POST', '/events', { name: 'own' }, { key: secret });
  expect((await events.next())?.data.name).toBe('own');
  await rest.call(
    'POST',
    '/register',
    { app: 'a', runner: 'r', url: 'http://127.0.0.1:9/', workflows: [{ name: 'w' }] },
    { key: secret },
  );
  await rest.call('POST', '/events', { name: 'w' }, { key: secret });
  expect((await runs.next())?.data.workflow).toBe('w');
});

test('HEAD on a stream answers its head and ends', async () => {
  const answer = await rest.call('HEAD', '/events/stream');
  expect(answer.status).toBe(200);
  expect((await rest.call('HEAD', `/runs/${newId()}/stream`)).status).toBe(404);
});

test('a reader that hangs up leaves nothing behind', async () => {
  const quiet = await startRest();
  const openStreams = async (): Promise<string | undefined> =>
    /holdfast_sse_streams (\d+)/.exec((await quiet.call('GET', '/metrics')).text)?.[1];
  const paths = ['/events/stream', '/runs/stream'];
  const opened = await Promise.all(
    paths.map((path) => openStream(quiet.url + path, { authorization: `Bearer ${quiet.keys.public}` })),
  );
  expect(await openStreams()).toBe('2');
  for (const reader of opened) reader.leave();
  await expect.poll(openStreams).toBe('0');
  await quiet.close();
});

test('a revoked key ends its streams', async () => {
  const { token, apiKey } = await createApiKey(rest.engine, {
    projectId: rest.projectId,
    name: 'short',
    kind: 'public',
  });
  const live = await open('/events/stream', {}, token);
  await revokeApiKey(rest.engine, { id: apiKey.id });
  expect(await live.rest()).toEqual([]);
});

test('a key that another process revoked ends its streams at the next check', async () => {
  const { token, apiKey } = await createApiKey(rest.engine, {
    projectId: rest.projectId,
    name: 'short',
    kind: 'public',
  });
  const live = await open('/events/stream', {}, token);
  await rest.engine.db.query('update api_key set revoked_at = now() where id = $1', [apiKey.id]);
  expect(await keyRing(rest.engine).watch.runOnce()).toBe(1);
  expect(await live.rest()).toEqual([]);
});

test('a key may hold a bounded number of streams; one that ended makes room', async () => {
  const small = await startRest({ settings: { limits: limitsWith({ streamsPerKey: 2 }) } });
  try {
    const headers = { authorization: `Bearer ${small.keys.public}` };
    const stream = `${small.url}/events/stream`;
    const [first, second] = [await openStream(stream, headers), await openStream(stream, headers)];
    const refused = await small.call('GET', '/events/stream', undefined, { key: small.keys.public });
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining('2 sockets and streams') } });
    const other = await openStream(stream, { authorization: `Bearer ${small.keys.secret}` });
    expect(other.status).toBe(200);
    first.leave();
    await expect
      .poll(async () => {
        const reader = await openStream(stream, headers);
        reader.leave();
        return reader.status;
      })
      .toBe(200);
    second.leave();
    other.leave();
  } finally {
    await small.close();
  }
});

test('closing ends every stream at its reader, and answers 503 to new ones', async () => {
  const stopped = await startRest();
  const headers = { authorization: `Bearer ${stopped.keys.public}` };
  const live = await openStream(`${stopped.url}/events/stream`, headers);
  await stopped.app.close();
  expect(await live.rest()).toEqual([]);
  expect((await openStream(`${stopped.url}/events/stream`, headers)).status).toBe(503);
  expect((await stopped.call('GET', '/health/ready', undefined, { key: null })).status).toBe(503);
  await stopped.close();
});
