import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type Client, createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { EngineContext } from '../../src/engine/context.ts';
import { newId } from '../../src/engine/ids.ts';
import { createApiKey, revokeApiKey } from '../../src/engine/projects/index.ts';
import { frameHub } from '../../src/engine/timeline/frameHub.ts';
import { insertFrame, insertRun, query, recordingLog, secretKey } from '../schema/fixtures.ts';
import { createTestEngine, createTestProject, type TestEngine } from '../support/engine.ts';
import { type GraphqlServer, type IssuedKey, issueKey, startGraphql } from './server.ts';

let test: TestEngine;
let engine: EngineContext;
let server: GraphqlServer;
let projectId: string;
let key: IssuedKey;
const clients: Client[] = [];
const { log, lines } = recordingLog();

beforeAll(async () => {
  test = await createTestEngine();
  engine = { ...test.engine, log };
  projectId = await createTestProject(engine);
  key = await issueKey(engine, projectId, 'secret');
  server = await startGraphql(engine);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
});
afterAll(async () => {
  await server.stop();
  await test.close();
});

function connect(
  token: string,
  connectionParams: Record<string, unknown> = { authorization: `Bearer ${token}` },
): Client {
  const client = createClient({
    url: server.socketUrl,
    webSocketImpl: WebSocket,
    connectionParams,
    retryAttempts: 0,
    lazy: true,
  });
  clients.push(client);
  return client;
}

/** Reads the results of an operation one by one. */
const read = (client: Client, document: string, variables = {}) =>
  client.iterate<Record<string, unknown>>({ query: document, variables });

/** A socket that speaks the protocol by hand: what is sent, and what comes, is seen as text. */
async function rawSocket(headers: Record<string, string> = {}): Promise<RawSocket> {
  const socket = new WebSocket(server.socketUrl, 'graphql-transport-ws', { headers });
  const messages: string[] = [];
  const waiting: ((message: string) => void)[] = [];
  socket.on('message', (data) => {
    const next = waiting.shift();
    if (next) next(String(data));
    else messages.push(String(data));
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    socket,
    closed,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next: () => {
      const message = messages.shift();
      return message === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(message);
    },
  };
}

interface RawSocket {
  socket: WebSocket;
  closed: Promise<{ code: number; reason: string }>;
  send(message: unknown): void;
  next(): Promise<string>;
}

async function accepted(token = key.token): Promise<RawSocket> {
  const socket = await rawSocket();
  socket.send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
  expect(JSON.parse(await socket.next())).toEqual({ type: 'connection_ack' });
  return socket;
}

const frames = 'subscription ($id: ID!, $from: Int) { runFrames(runId: $id, from: $from) { seq kind status payload } }';

describe('connecting', () => {
  it('takes the key from the first message, or from the header of the upgrade', async () => {
    (await accepted()).socket.close();
    const socket = await rawSocket({ authorization: `Bearer ${key.token}` });
    socket.send({ type: 'connection_init' });
    expect(JSON.parse(await socket.next())).toEqual({ type: 'connection_ack' });
    socket.socket.close();
  });

  it('reads the names in the headers of the upgrade as UTF-8', async () => {
    const { token } = await createApiKey(engine, { name: 'console', kind: 'platform' });
    const actor = Buffer.from('田中 Zoë', 'utf8').toString('latin1');
    const headers = { 'x-service-project': projectId, 'x-service-actor': actor };
    const socket = await rawSocket({ authorization: `Bearer ${token}`, ...headers });
    socket.send({ type: 'connection_init' });
    await socket.next();
    socket.send({ id: '1', type: 'subscribe', payload: { query: '{ viewer { actor } }' } });
    expect(JSON.parse(await socket.next())).toMatchObject({ payload: { data: { viewer: { actor: '田中 Zoë' } } } });
    socket.socket.close();
  });

  it.each([
    ['no key', {}],
    ['an unknown key', { authorization: 'Bearer nonsense' }],
    ['a key of the wrong type', { authorization: 7 }],
  ])('%s closes the socket with 4401', async (_what, payload) => {
    const socket = await rawSocket();
    socket.send({ type: 'connection_init', payload });
    expect(await socket.closed).toMatchObject({ code: 4401 });
  });

  it('an operation before the first message closes with 4401, a second first message with 4429', async () => {
    const early = await rawSocket();
    early.send({ type: 'subscribe', id: '1', payload: { query: '{ viewer { name } }' } });
    expect(await early.closed).toMatchObject({ code: 4401 });
    const twice = await accepted();
    twice.send({ type: 'connection_init' });
    expect(await twice.closed).toMatchObject({ code: 4429 });
  });

  it.each(['x', '[]', '{"type":"nope"}', '{"type":"subscribe"}', `${'['.repeat(100_000)}`])(
    'a message that is not of the protocol closes with 4400: %#',
    async (message) => {
      const socket = await accepted();
      socket.send(message);
      expect(await socket.closed).toMatchObject({ code: 4400 });
    },
  );

  it('a message over 1 MiB closes with 1009', async () => {
    const socket = await accepted();
    socket.send('x'.repeat(1024 * 1024 + 1));
    expect(await socket.closed).toMatchObject({ code: 1009 });
  });

  it('more than a greeting before the first message was accepted closes with 1009', async () => {
    const inOne = await rawSocket();
    inOne.send({ type: 'ping', payload: { text: 'x'.repeat(70_000) } });
    expect(await inOne.closed).toMatchObject({ code: 1009 });
    const inMany = await rawSocket();
    for (let sent = 0; sent < 70; sent += 1) inMany.send({ type: 'ping', payload: { text: 'x'.repeat(1000) } });
    expect(await inMany.closed).toMatchObject({ code: 1009, reason: expect.stringContaining('65536 bytes') });
  });

  it('a ping is answered without what came with it', async () => {
    const socket = await accepted();
    socket.send({ type: 'ping', payload: { text: 'x'.repeat(100_000) } });
    expect(JSON.parse(await socket.next())).toEqual({ type: 'pong' });
    socket.socket.close();
  });

  it.each([
    ['GET', { 'sec-websocket-version': '7' }, 400, 'Missing or invalid Sec-WebSocket-Version header'],
    ['GET', { 'sec-websocket-key': 'x' }, 400, 'Missing or invalid Sec-WebSocket-Key header'],
    ['POST', {}, 405, 'method not allowed'],
  ])('a handshake that is none is answered in JSON: %#', async (method, wrong, status, error) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...wrong,
    };
    const sent = request(server.url, { method, headers }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of response) text += chunk;
    expect({ status: response.statusCode, body: JSON.parse(text) }).toEqual({ status, body: { error } });
  });

  it('another subprotocol closes with 4406', async () => {
    const socket = new WebSocket(server.socketUrl);
    const code = await new Promise((resolve) => socket.once('close', resolve));
    expect(code).toBe(4406);
  });

  it('a key has its share of sockets and no more', async () => {
    const small = await startGraphql(engine, { maxSocketsPerKey: 1 });
    const open = async (): Promise<Client> =>
      createClient({
        url: small.socketUrl,
        webSocketImpl: WebSocket,
        connectionParams: { authorization: `Bearer ${key.token}` },
        retryAttempts: 0,
        lazy: false,
        onNonLazyError: () => undefined,
      });
    const closedWith = (client: Client): Promise<unknown> =>
      new Promise((resolve) =>
        client.on('closed', (event) => resolve((event as { code: number; reason: string }).reason)),
      );
    const first = await open();
    await new Promise<void>((resolve) => void first.on('connected', () => resolve()));
    const second = await open();
    expect(await closedWith(second)).toBe('at most 1 sockets may be open with one key');
    const gone = closedWith(first);
    await first.dispose();
    await gone;
    await expect.poll(() => small.sockets.size).toBe(0);
    const third = await open();
    await new Promise<void>((resolve) => void third.on('connected', () => resolve()));
    await third.dispose();
    await small.stop();
  });
});

describe('operations', () => {
  it('queries and mutations run too, payloads kept character by character', async () => {
    const socket = await accepted();
    const data = '{"n":1e400,"i":12345678901234567890,"text":"\\u0000"}'.replace('"\\u0000"', '"x"');
    socket.send(
      `{"id":"1","type":"subscribe","payload":{"query":"mutation ($d: JSON) { sendEvent(input: { name: \\"n\\", data: $d }) { event { data } } }","variables":{"d":${data}}}}`,
    );
    expect(await socket.next()).toBe(
      `{"id":"1","type":"next","payload":{"data":{"sendEvent":{"event":{"data":${data}}}}}}`,
    );
    expect(JSON.parse(await socket.next())).toEqual({ id: '1', type: 'complete' });
    socket.socket.close();
  });

  it('a syntax error is an error of the operation, and the socket lives', async () => {
    const socket = await accepted();
    socket.send({ id: '1', type: 'subscribe', payload: { query: 'subscription {' } });
    expect(JSON.parse(await socket.next())).toMatchObject({
      id: '1',
      type: 'error',
      payload: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
    socket.send({ id: '2', type: 'subscribe', payload: { query: '{ viewer { kind } }' } });
    expect(JSON.parse(await socket.next())).toMatchObject({
      id: '2',
      payload: { data: { viewer: { kind: 'SECRET' } } },
    });
    socket.socket.close();
  });

  it('a public key subscribes, and its mutations are FORBIDDEN', async () => {
    const reading = await issueKey(engine, projectId, 'public');
    const client = connect(reading.token);
    const { value } = await read(client, 'mutation { sendEvent(input: { name: "x" }) { woke } }').next();
    expect(value?.errors?.[0]?.extensions).toEqual({ code: 'FORBIDDEN' });
  });

  it('a 101st subscription of a socket is refused by name of the limit, the others go on', async () => {
    const socket = await accepted();
    for (let n = 1; n <= 101; n++) {
      socket.send({
        id: `${n}`,
        type: 'subscribe',
        payload: { query: 'subscription { runStatusChanged { runId status } }' },
      });
    }
    expect(JSON.parse(await socket.next())).toMatchObject({
      id: '101',
      type: 'error',
      payload: [
        { message: 'a socket may have at most 100 subscriptions at once', extensions: { code: 'BAD_USER_INPUT' } },
      ],
    });
    socket.send({ id: '7', type: 'complete' });
    socket.send({ id: '102', type: 'subscribe', payload: { query: '{ viewer { name } }' } });
    expect(JSON.parse(await socket.next())).toMatchObject({ id: '102', type: 'next' });
    socket.socket.close();
  });
});

describe('runFrames', () => {
  it('replays the journal after `from`, goes on live, and completes with the run', async () => {
    const id = await insertRun(engine, projectId, { status: 'running' });
    await insertFrame(engine, id, { seq: 1, kind: 'run_status', payload: '{"status":"queued"}' });
    await insertFrame(engine, id, {
      seq: 2,
      kind: 'log',
      payload: '{"level":"info","message":"m","scope":"s","attempt":1,"fields":{"n":1e400}}',
    });
    const all = read(connect(key.token), frames, { id });
    expect((await all.next()).value?.data).toEqual({
      runFrames: { seq: 1, kind: 'RUN_STATUS', status: 'QUEUED', payload: { status: 'queued' } },
    });
    const later = read(connect(key.token), frames, { id, from: 1 });
    expect((await later.next()).value?.data).toMatchObject({ runFrames: { seq: 2, kind: 'LOG', status: null } });
    expect((await all.next()).value?.data).toMatchObject({ runFrames: { seq: 2 } });

    const live = all.next();
    const payload = '{"status":"succeeded"}';
    await insertFrame(engine, id, { seq: 3, kind: 'run_status', payload });
    await engine.db.query({
      text: `update run set status = 'succeeded', ended_at = now() where id = $1`,
      values: [id],
    });
    const frame = { seq: 3, kind: 'run_status', ts: new Date(), payload } as const;
    engine.bus.emit('run.frames', { projectId, runId: id, app: 'shop', workflow: 'order', frames: [frame] });
    expect((await live).value?.data).toMatchObject({ runFrames: { seq: 3, status: 'SUCCEEDED' } });
    expect(await all.next()).toMatchObject({ done: true });
  });

  it('a run of another project, or no run at all, is NOT_FOUND', async () => {
    const other = await createTestProject(engine);
    const foreign = await insertRun(engine, other);
    for (const id of [foreign, 'no uuid']) {
      const { value } = await read(connect(key.token), frames, { id }).next();
      expect(value?.errors?.[0]).toMatchObject({ message: 'run not found', extensions: { code: 'NOT_FOUND' } });
    }
    const own = await insertRun(engine, projectId);
    const { value } = await read(connect(key.token), frames, { id: own, from: -1 }).next();
    expect(value?.errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT' });
  });

  it('masks what goes wrong under way, and the socket lives', async () => {
    const id = await insertRun(engine, projectId, { status: 'running' });
    await insertFrame(engine, id, { seq: 1, kind: 'run_status', payload: '{"status":"queued"}' });
    lines.length = 0;
    const socket = await accepted();
    const document = 'subscription ($id: ID!) { runFrames(runId: $id) { seq nextAttemptAt } }';
    await insertFrame(engine, id, { seq: 2, kind: 'step_status', payload: '{"nextAttemptAt":"no time"}' });
    socket.send({ id: '1', type: 'subscribe', payload: { query: document, variables: { id } } });
    await socket.next();
    const message = await socket.next();
    expect(JSON.parse(message)).toMatchObject({ type: 'next', payload: { errors: [{ message: 'internal error' }] } });
    expect(message).not.toMatch(/Invalid time|stack/);
    expect(lines.join()).toContain('Invalid time');
    socket.send({ id: '2', type: 'subscribe', payload: { query: '{ viewer { name } }' } });
    expect(JSON.parse(await socket.next())).toMatchObject({ id: '2' });
    socket.socket.close();
  });
});

describe('runStatusChanged and eventIngested', () => {
  it("tell of the project's own, by app and name, with fresh reads", async () => {
    const client = connect(key.token);
    const changes = read(
      client,
      'subscription { runStatusChanged(app: "shop") { runId app workflow status run { status } } }',
    );
    const events = read(client, 'subscription { eventIngested(name: "wanted") { name app data } }');
    const [first, event] = [changes.next(), events.next()];
    // Both are open once the server has answered something that was asked after them.
    await read(client, '{ viewer { name } }').next();

    const other = await createTestProject(engine);
    const send = (project: string, name: string) =>
      query(engine, secretKey(project), `mutation { sendEvent(input: { name: "${name}", data: [1] }) { woke } }`);
    await send(other, 'wanted');
    await send(projectId, 'unwanted');
    await send(projectId, 'wanted');
    expect((await event).value?.data).toEqual({ eventIngested: { name: 'wanted', app: 'default', data: [1] } });

    const runId = await insertRun(engine, projectId, { status: 'waiting' });
    const announce = (project: string, app: string, status: string, seq: number, id = newId()): void =>
      engine.bus.emit('run.frames', {
        projectId: project,
        runId: id,
        app,
        workflow: 'order',
        frames: [{ seq, kind: 'run_status', ts: new Date(), payload: JSON.stringify({ status }) }],
      });
    announce(other, 'shop', 'failed', 1);
    announce(projectId, 'mail', 'failed', 1);
    announce(projectId, 'shop', 'waiting', 1, runId);
    expect((await first).value?.data).toEqual({
      runStatusChanged: { runId, app: 'shop', workflow: 'order', status: 'WAITING', run: { status: 'WAITING' } },
    });
    await engine.db.query({ text: `update run set status = 'queued' where id = $1`, values: [runId] });
    const second = changes.next();
    announce(projectId, 'shop', 'queued', 2, runId);
    expect((await second).value?.data).toMatchObject({
      runStatusChanged: { status: 'QUEUED', run: { status: 'QUEUED' } },
    });
  });

  it('eventIngested names the argument that is no id', async () => {
    const client = connect(key.token);
    const events = read(client, 'subscription { eventIngested(after: "x") { id } }');
    const { value } = await events.next();
    expect(value?.errors).toMatchObject([{ message: 'after must be the id of an event' }]);
  });

  it('eventIngested with `after` begins with what was recorded since', async () => {
    const send = async (name: string): Promise<string> => {
      const document = `mutation { sendEvent(input: { name: "${name}" }) { eventId } }`;
      const { sendEvent } = (await query(engine, secretKey(projectId), document)) as { sendEvent: { eventId: string } };
      return sendEvent.eventId;
    };
    const seen = await send('one');
    await send('two');
    const events = read(connect(key.token), 'subscription ($after: ID) { eventIngested(after: $after) { name } }', {
      after: seen,
    });
    expect((await events.next()).value?.data).toEqual({ eventIngested: { name: 'two' } });
  });
});

describe('ending', () => {
  it('a revoked key ends its sockets', async () => {
    const doomed = await issueKey(engine, projectId, 'public');
    const socket = await accepted(doomed.token);
    await revokeApiKey(engine, { id: doomed.id });
    expect(await socket.closed).toEqual({ code: 4401, reason: 'the API key has ended' });
  });

  it.each([
    ['the operation', (socket: RawSocket) => socket.send({ id: '1', type: 'complete' })],
    ['the socket', (socket: RawSocket) => socket.socket.terminate()],
  ])('when %s ends, nobody follows the run any more', async (_what, leave) => {
    const id = await insertRun(engine, projectId, { status: 'running' });
    await insertFrame(engine, id, { seq: 1, kind: 'run_status', payload: '{"status":"queued"}' });
    const socket = await accepted();
    socket.send({ id: '1', type: 'subscribe', payload: { query: frames, variables: { id } } });
    await socket.next();
    // The run has no row in the queue, so each look finds it moved as long as somebody follows it.
    const followed = () => frameHub(engine).runOnce();
    await expect.poll(followed).toBe(1);
    leave(socket);
    await expect.poll(followed).toBe(0);
    socket.socket.close();
  });

  it('the service closes its sockets with 1012 when it stops', async () => {
    const stopping = await startGraphql(engine);
    const socket = new WebSocket(stopping.socketUrl, 'graphql-transport-ws');
    await new Promise((resolve) => socket.once('open', resolve));
    const code = new Promise((resolve) => socket.once('close', resolve));
    await stopping.stop();
    expect(await code).toBe(1012);
  });

  it('a socket that answers no ping is cut off', async () => {
    const strict = await startGraphql(engine, { pingMs: 30 });
    const socket = new WebSocket(strict.socketUrl, 'graphql-transport-ws', { autoPong: false });
    await new Promise((resolve) => socket.once('open', resolve));
    const code = await new Promise((resolve) => socket.once('close', resolve));
    expect(code).toBe(1006);
    await strict.stop();
  });

  it('pongs that answer no ping keep no socket', async () => {
    const strict = await startGraphql(engine, { pingMs: 30 });
    const socket = new WebSocket(strict.socketUrl, 'graphql-transport-ws', { autoPong: false });
    socket.on('ping', () => socket.pong());
    await new Promise((resolve) => socket.once('open', resolve));
    expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(1006);
    await strict.stop();
  });

  it('who does not take the answers is not read, and cut off, whatever is asked', async () => {
    const strict = await startGraphql(engine, { pingMs: 500 });
    const socket = new WebSocket(strict.socketUrl, 'graphql-transport-ws');
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${key.token}` } }));
    await new Promise((resolve) => socket.once('message', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.pause();
    // Refused, by an answer that repeats the id.
    const refused = JSON.stringify({ type: 'subscribe', id: 'x'.repeat(500_000), payload: { query: '{' } });
    const messages = 64;
    for (let sent = 0; sent < messages; sent += 1) socket.send(refused);
    let untaken = 0;
    const isCutOff = (): boolean => {
      untaken = socket.bufferedAmount || untaken;
      return strict.sockets.size === 0;
    };
    await expect.poll(isCutOff, { timeout: 5_000 }).toBe(true);
    // What the system's own buffers hold, and a little more, was taken.
    expect(untaken).toBeGreaterThan(0.5 * messages * refused.length);
    socket.terminate();
    await closed;
    await strict.stop();
  });
});
