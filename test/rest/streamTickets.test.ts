import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey, keyBounds, revokeApiKey } from '../../src/engine/keys/index.ts';
import { streamPaths } from '../../src/engine/tickets/index.ts';
import { routes } from '../../src/rest/routes/index.ts';
import { type RestServer, startRest } from './restServer.ts';
import { openStream, type SseReader } from './sseReader.ts';

let rest: RestServer;
const readers: SseReader[] = [];

beforeAll(async () => {
  rest = await startRest();
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.leave();
});
afterAll(() => rest.close());

async function newTicket(body?: object, key = rest.keys.secret): Promise<string> {
  const answer = await rest.call('POST', '/stream-tickets', body, { key });
  expect(answer.status).toBe(201);
  return answer.body.ticket;
}

async function open(path: string, headers: Record<string, string> = {}): Promise<SseReader> {
  const reader = await openStream(rest.url + path, headers);
  readers.push(reader);
  return reader;
}

const send = async (name: string): Promise<string> => (await rest.call('POST', '/events', { name })).body.eventId;

const noStream =
  /^path: must be the path of a stream without its query: \/events\/stream, \/runs\/\{id\}\/stream, .* or \/graphql$/;

describe('POST /stream-tickets', () => {
  it('answers 201 with a ticket and its end, a minute later', async () => {
    const answer = await rest.call('POST', '/stream-tickets');
    expect(answer).toMatchObject({
      status: 201,
      body: { ticket: expect.stringMatching(/^hf_st_\w{49}$/), expiresAt: expect.stringMatching(/Z$/) },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const leftMs = Date.parse(answer.body.expiresAt) - Date.now();
    expect(leftMs).toBeLessThanOrEqual(61_000);
  });

  it('accepts the path of each stream of the routes, and of subscriptions', async () => {
    const streams = routes.filter(({ kind }) => kind === 'stream').map(({ path }) => path);
    expect([...streamPaths].sort()).toEqual([...streams, '/graphql'].sort());
    for (const path of streamPaths) {
      const named = path.replace('{id}', 'r-1');
      for (const asked of [named, `${named}/`]) await newTicket({ path: asked });
    }
  });

  it('needs a secret key: a public one may not write, and streams must end with their key', async () => {
    const asked = (key: string, headers = {}) => rest.call('POST', '/stream-tickets', {}, { key, headers });
    expect(await asked(rest.keys.public)).toMatchObject({ status: 403 });
    expect(await asked(rest.keys.operator, { 'x-service-project': rest.projectId })).toMatchObject({
      status: 403,
      body: { error: 'stream tickets need a secret key of the project' },
    });
    const { token } = await createApiKey(rest.engine, { name: 'platform', kind: 'platform' });
    expect(await asked(token, { 'x-service-project': rest.projectId })).toMatchObject({ status: 201 });
  });

  it.each([
    [{ path: 'runs/stream' }, noStream],
    [{ path: '/runs/stream?app=x' }, noStream],
    [{ path: '/runs' }, noStream],
    [{ path: '/runs/r-1' }, noStream],
    [{ path: '/runs//stream' }, noStream],
    [{ path: '/runs/r-1/logs/stream' }, noStream],
    [{ path: '/connect' }, noStream],
    [{ path: '/' }, noStream],
    [{ path: '' }, noStream],
    [{ path: `/${'x'.repeat(1000)}` }, /^path: must have at most 1000 characters/],
    [{ path: 7 }, /^path must be a string/],
  ])('refuses %j', async (body, error) => {
    const answer = await rest.call('POST', '/stream-tickets', body);
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(error)]);
  });
});

describe('a stream with a ticket', () => {
  it.each(['/events/stream', '/runs/stream', '/runs/stream?app=shop', '/webhook-deliveries/stream'])(
    'opens at %s without a key, once',
    async (path) => {
      const url = `${path}${path.includes('?') ? '&' : '?'}ticket=${await newTicket({ path: path.split('?')[0] })}`;
      expect((await open(url)).status).toBe(200);
      const again = await rest.call('GET', url, undefined, { key: null });
      expect(again).toMatchObject({
        status: 401,
        body: { error: 'the stream ticket is unknown, used, expired, or for another path' },
      });
    },
  );

  it('sends events as they come', async () => {
    const reader = await open(`/events/stream?ticket=${await newTicket()}`);
    const id = await send('order.placed');
    expect(await reader.next()).toMatchObject({ event: 'event', id, data: { name: 'order.placed' } });
  });

  it('resumes after lastEventId, over which the header wins', async () => {
    const [first, second, third] = [await send('a'), await send('b'), await send('c')];
    const resumed = await open(`/events/stream?ticket=${await newTicket()}&lastEventId=${first}`);
    expect(await resumed.next()).toMatchObject({ id: second });
    const url = `/events/stream?ticket=${await newTicket()}&lastEventId=${first}`;
    expect(await (await open(url, { 'last-event-id': second })).next()).toMatchObject({ id: third });
    const wrong = await rest.call('GET', '/events/stream?lastEventId=x');
    expect(wrong).toMatchObject({ status: 400, body: { error: 'Last-Event-ID must be the id of an event' } });
  });

  it('is refused at another path, at routes that are no streams, and beside a wrong key', async () => {
    const path = '/runs/stream';
    const get = (url: string, headers = {}) => rest.call('GET', url, undefined, { key: null, headers });
    expect(await get(`/events/stream?ticket=${await newTicket({ path })}`)).toMatchObject({ status: 401 });
    const ticket = await newTicket();
    for (const other of ['/runs', '/events', '/metrics'])
      expect(await get(`${other}?ticket=${ticket}`)).toMatchObject({ status: 401 });
    expect(await get(`${path}?ticket=${ticket}`, { authorization: 'Bearer wrong' })).toMatchObject({ status: 401 });
    expect((await open(`${path}?ticket=${ticket}`)).status).toBe(200);
  });

  it('reads only the project of its key', async () => {
    const { secret } = await rest.stranger();
    const ticket = await newTicket({}, secret);
    const { eventId } = (await rest.call('POST', '/events', { name: 'mine' })).body;
    const answer = await rest.call('GET', `/runs/${eventId}/stream?ticket=${ticket}`, undefined, { key: null });
    expect(answer).toMatchObject({ status: 404, body: { error: 'run not found' } });
  });

  it('ends with its key, among whose streams it counts', async () => {
    const { apiKey, token } = await createApiKey(rest.engine, {
      projectId: rest.projectId,
      name: 'page',
      kind: 'secret',
    });
    const reader = await open(`/runs/stream?ticket=${await newTicket({}, token)}`);
    const { permits } = keyBounds(rest.engine);
    const taken = permits.take({ keyId: apiKey.id });
    taken?.();
    await revokeApiKey(rest.engine, { id: apiKey.id });
    expect(await reader.rest()).toEqual([]);
  });
});
