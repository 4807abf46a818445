import type { GraphQLField, GraphQLObjectType } from 'graphql';
import { type Client, createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { EngineContext } from '../../src/engine/context.ts';
import { newId } from '../../src/engine/ids.ts';
import { schema } from '../../src/schema/index.ts';
import { insertFrame, insertRun, query, recordingLog, secretKey } from '../schema/fixtures.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { acceptedSocket } from './rawSocket.ts';
import { type GraphqlServer, type IssuedKey, issueKey, startGraphql } from './server.ts';

const test = useEngine();
let engine: EngineContext;
let server: GraphqlServer;
let projectId: string;
let key: IssuedKey;
const clients: Client[] = [];
const { log, lines } = recordingLog();

beforeAll(async () => {
  engine = { ...test.engine, log };
  projectId = await createTestProject(engine);
  key = await issueKey(engine, projectId, 'secret');
  server = await startGraphql(engine);
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
});
afterAll(() => server.stop());

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

const frames = 'subscription ($id: ID!, $from: Int) { runFrames(runId: $id, from: $from) { seq kind status payload } }';

describe('operations', () => {
  it('queries and mutations run too, payloads kept character by character', async () => {
    const socket = await acceptedSocket(server, key.token);
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
    const socket = await acceptedSocket(server, key.token);
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
    const socket = await acceptedSocket(server, key.token);
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
    socket.send({ id: '102', type: 'subscribe', payload: { query: '{ viewer { name } }' } });
    expect(JSON.parse(await socket.next())).toMatchObject({ id: '102', type: 'next' });
    expect(JSON.parse(await socket.next())).toEqual({ id: '102', type: 'complete' });
    socket.send({ id: '7', type: 'complete' });
    socket.send({ id: '103', type: 'subscribe', payload: { query: 'subscription { approvalChanged { id } }' } });
    socket.send({ id: '104', type: 'subscribe', payload: { query: 'subscription { approvalChanged { id } }' } });
    expect(JSON.parse(await socket.next())).toMatchObject({ id: '104', type: 'error' });
    // One that is completed and begun anew at once is no more than there were.
    socket.send({ id: '8', type: 'complete' });
    socket.send({ id: '8', type: 'subscribe', payload: { query: 'subscription { approvalChanged { id } }' } });
    socket.send({ id: '105', type: 'subscribe', payload: { query: 'subscription { approvalChanged { id } }' } });
    // The library may report the end of the first 8 before.
    let last = JSON.parse(await socket.next());
    if (last.id === '8') last = JSON.parse(await socket.next());
    expect(last).toMatchObject({ id: '105', type: 'error' });
    socket.socket.close();
  });

  it('queries and mutations under way are bounded apart', async () => {
    const socket = await acceptedSocket(server, key.token);
    const runId = await insertRun(engine, projectId, { status: 'running' });
    const begin = (id: string, query: string) => socket.send({ id, type: 'subscribe', payload: { query } });
    begin('0', 'subscription { approvalChanged { id } }');
    for (let n = 1; n <= 101; n++) begin(`${n}`, `{ run(id: "${runId}", waitMs: 60000) { id } }`);
    expect(JSON.parse(await socket.next())).toMatchObject({
      id: '101',
      type: 'error',
      payload: [{ message: 'a socket may have at most 100 queries and mutations at once' }],
    });
    socket.socket.close();
  });

  it('a viewer that is lost under a write is no fault of the service', async () => {
    lines.length = 0;
    const socket = await acceptedSocket(server, key.token);
    socket.send({
      id: '1',
      type: 'subscribe',
      payload: { query: 'subscription { runStatusChanged(app: "lost") { status } }' },
    });
    socket.send({ id: '2', type: 'subscribe', payload: { query: '{ viewer { name } }' } });
    await socket.next();
    await socket.next();
    const { sockets } = server;
    const open = sockets.size;
    const lost = vi.spyOn(WebSocket.prototype, 'send').mockImplementationOnce((...sent: unknown[]) => {
      (sent.at(-1) as (error: Error) => void)(new Error('write EPIPE'));
    });
    const frame = { seq: 1, kind: 'run_status', ts: new Date(), payload: '{"status":"queued"}' } as const;
    engine.bus.emit('run.frames', { projectId, runId: newId(), app: 'lost', workflow: 'order', frames: [frame] });
    await socket.closed;
    expect(lost).toHaveBeenCalled();
    lost.mockRestore();
    expect(sockets.size).toBeLessThan(open);
    expect(lines).toEqual([]);
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
    const socket = await acceptedSocket(server, key.token);
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

  it('are answered once for all equal subscriptions of a caller', async () => {
    const { status } = (schema.getType('RunStatusChange') as GraphQLObjectType).getFields();
    const resolved = vi.spyOn(status as Required<GraphQLField<unknown, unknown>>, 'resolve');
    const document = 'subscription { runStatusChanged(app: "shared") { status runId } }';
    const equal = [1, 2, 3].map(() => read(connect(key.token), document));
    const reading = await issueKey(engine, projectId, 'public');
    const all = [...equal, read(connect(reading.token), document)].map((each) => each.next());
    for (const client of clients.slice(-4)) await read(client, '{ viewer { name } }').next();
    resolved.mockClear();
    const runId = newId();
    const frame = { seq: 1, kind: 'run_status', ts: new Date(), payload: '{"status":"failed"}' } as const;
    engine.bus.emit('run.frames', { projectId, runId, app: 'shared', workflow: 'order', frames: [frame] });
    for (const { value } of await Promise.all(all))
      expect(value?.data).toEqual({ runStatusChanged: { status: 'FAILED', runId } });
    expect(resolved).toHaveBeenCalledTimes(2);
    resolved.mockRestore();
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
    await send('zero');
    const seen = await send('one');
    // A reader that has seen an event knows that it has its number, and so have those before it.
    const numbers = () => test.db.prisma.eventSeq.count({ where: { projectId, eventId: seen } });
    await vi.waitFor(async () => expect(await numbers()).toBe(1), 20_000);
    await send('two');
    const events = read(connect(key.token), 'subscription ($after: ID) { eventIngested(after: $after) { name } }', {
      after: seen,
    });
    const told: unknown[] = [];
    while (told.at(-1) !== 'two') told.push((await events.next()).value?.data.eventIngested.name);
    expect(told).toEqual(['two']);
  });
});
