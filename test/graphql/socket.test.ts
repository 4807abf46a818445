import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { type Client, createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { EngineContext } from '../../src/engine/context.ts';
import { createApiKey, keyBounds, revokeApiKey } from '../../src/engine/keys/index.ts';
import { frameHub } from '../../src/engine/timeline/frameHub.ts';
import { Documents } from '../../src/graphql/index.ts';
import { insertFrame, insertRun } from '../schema/fixtures.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { limitsWith, usualDocumentLimits } from '../support/settings.ts';
import { acceptedSocket, openSocket, type RawSocket } from './rawSocket.ts';
import { type GraphqlServer, type IssuedKey, issueKey, startGraphql } from './server.ts';

const test = useEngine();
let engine: EngineContext;
let server: GraphqlServer;
let projectId: string;
let key: IssuedKey;

beforeAll(async () => {
  engine = test.engine;
  projectId = await createTestProject(engine);
  key = await issueKey(engine, projectId, 'secret');
  server = await startGraphql(engine);
});
afterAll(() => server.stop());

describe('connecting', () => {
  it('takes the key from the first message, or from the header of the upgrade', async () => {
    (await acceptedSocket(server, key.token)).socket.close();
    const socket = await openSocket(server, { authorization: `Bearer ${key.token}` });
    socket.send({ type: 'connection_init' });
    expect(JSON.parse(await socket.next())).toEqual({ type: 'connection_ack' });
    socket.socket.close();
  });

  it('reads the names in the headers of the upgrade as UTF-8', async () => {
    const { token } = await createApiKey(engine, { name: 'console', kind: 'platform' });
    const actor = Buffer.from('田中 Zoë', 'utf8').toString('latin1');
    const headers = { 'x-service-project': projectId, 'x-service-actor': actor };
    const socket = await openSocket(server, { authorization: `Bearer ${token}`, ...headers });
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
    const socket = await openSocket(server);
    socket.send({ type: 'connection_init', payload });
    expect(await socket.closed).toMatchObject({ code: 4401 });
  });

  it('an operation before the first message closes with 4401, a second first message with 4429', async () => {
    const early = await openSocket(server);
    early.send({ type: 'subscribe', id: '1', payload: { query: '{ viewer { name } }' } });
    expect(await early.closed).toMatchObject({ code: 4401 });
    const twice = await acceptedSocket(server, key.token);
    twice.send({ type: 'connection_init' });
    expect(await twice.closed).toMatchObject({ code: 4429 });
  });

  it.each(['x', '[]', '{"type":"nope"}', '{"type":"subscribe"}', `${'['.repeat(100_000)}`])(
    'a message that is not of the protocol closes with 4400: %#',
    async (message) => {
      const socket = await acceptedSocket(server, key.token);
      socket.send(message);
      expect(await socket.closed).toMatchObject({ code: 4400 });
    },
  );

  it('a message over 1 MiB closes with 1009', async () => {
    const socket = await acceptedSocket(server, key.token);
    socket.send('x'.repeat(1024 * 1024 + 1));
    expect(await socket.closed).toMatchObject({ code: 1009 });
  });

  it('more than a greeting before the first message was accepted closes with 1009', async () => {
    const inOne = await openSocket(server);
    inOne.send({ type: 'ping', payload: { text: 'x'.repeat(70_000) } });
    expect(await inOne.closed).toMatchObject({ code: 1009 });
    const inMany = await openSocket(server);
    for (let sent = 0; sent < 70; sent += 1) inMany.send({ type: 'ping', payload: { text: 'x'.repeat(1000) } });
    expect(await inMany.closed).toMatchObject({ code: 1009, reason: expect.stringContaining('65536 bytes') });
  });

  it('a ping is answered without what came with it', async () => {
    const socket = await acceptedSocket(server, key.token);
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

  it('a handshake that is none leaves no connection behind, though its client keeps it', async () => {
    const others = await server.connections();
    const client = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', allowHalfOpen: true });
    client.write('GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    let text = '';
    client.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    await once(client, 'end');
    expect(text).toMatch(/^HTTP\/1.1 400 .*\{"error":"Missing or invalid Sec-WebSocket-Key header"\}$/s);
    expect(client.writable).toBe(true);
    await expect.poll(server.connections, { timeout: 5_000 }).toBeLessThanOrEqual(others);
    client.destroy();
  });

  it('a socket without a first message in time closes with 4408', async () => {
    const strict = await startGraphql(engine, { initMs: 30 });
    const socket = await openSocket(strict);
    expect(await socket.closed).toMatchObject({ code: 4408 });
    await strict.stop();
  });

  it('another subprotocol closes with 4406', async () => {
    const socket = new WebSocket(server.socketUrl);
    const code = await new Promise((resolve) => socket.once('close', resolve));
    expect(code).toBe(4406);
  });

  it('a key has its share of sockets and no more', async () => {
    const settings = { ...engine.settings, limits: limitsWith({ streamsPerKey: 1 }) };
    const small = await startGraphql({ ...engine, settings });
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
    expect(await closedWith(second)).toBe('at most 1 sockets and streams may be open with one key');
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

describe('queries over sockets', () => {
  it('take turns with the other requests of their key, and are refused as BUSY after a wait', async () => {
    const limits = limitsWith({ requestsPerKey: 1 });
    const small = { ...engine, settings: { ...engine.settings, limits, answerWaitMs: 20 } };
    const own = await startGraphql(small);
    const socket = await acceptedSocket(own, key.token);
    const other = keyBounds(small).turns.open({ keyId: key.id });
    const ask = async (id: string): Promise<unknown> => {
      socket.send({ id, type: 'subscribe', payload: { query: '{ viewer { name } }' } });
      return [JSON.parse(await socket.next()), JSON.parse(await socket.next())];
    };
    const busy = { payload: { errors: [{ extensions: { code: 'BUSY' } }] } };
    expect(await ask('1')).toMatchObject([busy, { type: 'complete' }]);
    other.end();
    const answer = { payload: { data: { viewer: { name: expect.any(String) } } } };
    expect(await ask('2')).toMatchObject([answer, { type: 'complete' }]);
    expect(await ask('3')).toMatchObject([answer, { type: 'complete' }]);
    await own.stop();
  });

  it('take no turn if their socket closes while documents before them wait to be read', async () => {
    const small = { ...engine, settings: { ...engine.settings, limits: limitsWith({ requestsPerKey: 1 }) } };
    const documents = new Documents(usualDocumentLimits);
    const read = vi.spyOn(documents, 'read');
    let readFirst = (): void => undefined;
    read.mockImplementationOnce(
      (source) => new Promise((resolve) => (readFirst = () => resolve(documents.check(source)))),
    );
    const own = await startGraphql(small, { documents });
    const socket = await acceptedSocket(own, key.token);
    const begun = vi.spyOn(keyBounds(small).turns, 'open');
    for (const id of ['1', '2']) socket.send({ id, type: 'subscribe', payload: { query: '{ viewer { name } }' } });
    await expect.poll(() => read.mock.calls.length).toBe(1);
    socket.socket.terminate();
    await expect.poll(() => own.sockets.size).toBe(0);
    readFirst();
    await expect.poll(() => read.mock.calls.length).toBe(2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).not.toHaveBeenCalled();
    expect(keyBounds(small).turns.open({ keyId: key.id }).begun).toBeUndefined();
    await own.stop();
  });
});

describe('ending', () => {
  it('a revoked key ends its sockets', async () => {
    const doomed = await issueKey(engine, projectId, 'public');
    const socket = await acceptedSocket(server, doomed.token);
    await revokeApiKey(engine, { id: doomed.id });
    expect(await socket.closed).toEqual({ code: 4401, reason: 'the API key has ended' });
  });

  it('a revoked key ends its sockets, also of peers that do not read', async () => {
    const own = await startGraphql(engine);
    const doomed = await issueKey(engine, projectId, 'public');
    const { socket } = await acceptedSocket(own, doomed.token);
    socket.pause();
    await revokeApiKey(engine, { id: doomed.id });
    await expect.poll(() => own.sockets.size, { timeout: 5_000 }).toBe(0);
    socket.terminate();
    await own.stop();
  });

  it.each([
    ['the operation', (socket: RawSocket) => socket.send({ id: '1', type: 'complete' })],
    ['the socket', (socket: RawSocket) => socket.socket.terminate()],
  ])('when %s ends, nobody follows the run any more', async (_what, leave) => {
    const id = await insertRun(engine, projectId, { status: 'running' });
    await insertFrame(engine, id, { seq: 1, kind: 'run_status', payload: '{"status":"queued"}' });
    const socket = await acceptedSocket(server, key.token);
    socket.send({
      id: '1',
      type: 'subscribe',
      payload: { query: 'subscription ($id: ID!) { runFrames(runId: $id) { seq } }', variables: { id } },
    });
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
