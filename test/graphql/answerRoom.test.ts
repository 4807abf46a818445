import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Database } from '../../src/engine/db/database.ts';
import { PayloadRoom } from '../../src/engine/payloadRoom.ts';
import { defaultEngineSettings } from '../../src/engine/settings.ts';
import { getText, sendAtOnce } from '../http/pipelined.ts';
import { insertRun, insertStep } from '../schema/fixtures.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { acceptedSocket } from './rawSocket.ts';
import { type GraphqlServer, type IssuedKey, issueKey, startGraphql } from './server.ts';

const limits = { ...defaultEngineSettings.limits, answersMaxBytes: 200_000 };
const test = useEngine({ settings: { limits, answerWaitMs: 20 } });
let server: GraphqlServer;
let projectId: string;
let key: IssuedKey;
let runId: string;
let query: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
  key = await issueKey(test.engine, projectId, 'public');
  server = await startGraphql(test.engine);
  runId = await insertRun(test.engine, projectId, { input: JSON.stringify('x'.repeat(150_000)) });
  query = `{ run(id: "${runId}") { input } }`;
});
afterAll(() => server.stop());

const held = (): number => test.engine.payloadRoom.heldBytes;

async function post(document = query, { url } = server): Promise<{ data: unknown; errors?: unknown }> {
  const headers = { authorization: `Bearer ${key.token}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query: document }) });
  return (await answer.json()) as { data: unknown; errors?: unknown };
}

describe('the room for large answers', () => {
  it('is asked for by an operation over HTTP, and given back with its answer', async () => {
    const other = test.engine.payloadRoom.enterNow(100_000);
    expect(await post()).toMatchObject({ errors: [{ extensions: { code: 'BUSY' } }] });
    other.resize(0);
    expect(await post()).not.toHaveProperty('errors');
    await expect.poll(held).toBe(0);
  });

  it('is given back with the connection, where the answer waits behind another one', async () => {
    const running = await insertRun(test.engine, projectId, { status: 'queued' });
    const documents = [`{ run(id: "${running}", waitMs: 3000) { id } }`, query];
    const requests = documents.map((document) =>
      getText(`/graphql?query=${encodeURIComponent(document)}`, { Authorization: `Bearer ${key.token}` }),
    );
    const client = await sendAtOnce(server.url, requests);
    await expect.poll(held).toBeGreaterThan(0);
    client.destroy();
    await expect.poll(held).toBe(0);
  });

  it('is no less for one operation alone that needs it in several parts', async () => {
    const id = await insertRun(test.engine, projectId, { input: JSON.stringify('x'.repeat(150_000)) });
    await insertStep(test.engine, id, { index: 0, output: JSON.stringify('x'.repeat(100_000)) });
    const answer = await post(`{ run(id: "${id}") { input steps { output } } }`);
    expect(answer).not.toHaveProperty('errors');
    await expect.poll(held).toBe(0);
  });

  it('P2, M2: is waited for once by several operations at a time that need it in several parts', async () => {
    const payloadRoom = new PayloadRoom({ maxBytes: 200_000, waitMs: 60_000 });
    const roomy = await startGraphql({ ...test.engine, payloadRoom });
    const id = await insertRun(test.engine, projectId, { input: JSON.stringify('x'.repeat(150_000)) });
    await insertStep(test.engine, id, { index: 0, output: JSON.stringify('x'.repeat(100_000)) });
    const document = `{ run(id: "${id}") { input steps { output } children { id } } }`;
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(document, roomy)));
    for (const answer of answers) expect(answer).not.toHaveProperty('errors');
    await expect.poll(() => payloadRoom.heldBytes).toBe(0);
    await roomy.stop();
  });

  it.each([
    ['its answer', () => undefined],
    ['the socket', (socket: WebSocket) => socket.terminate()],
  ])('is given back with %s by an operation over a socket', async (_what, leave) => {
    const headers = { authorization: `Bearer ${key.token}` };
    const socket = new WebSocket(server.socketUrl, 'graphql-transport-ws', { headers });
    const received: string[] = [];
    socket.on('message', (message) => received.push(JSON.parse(String(message)).type));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send('{"type":"connection_init"}');
    await expect.poll(() => received).toEqual(['connection_ack']);
    socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
    leave(socket);
    if (socket.readyState === socket.OPEN) await expect.poll(() => received).toContain('complete');
    await expect.poll(held).toBe(0);
    socket.terminate();
  });

  it('is given back by an event of a subscription once it has left, and not only when another comes', async () => {
    const socket = await acceptedSocket(server, key.token);
    const subscription = 'subscription { runStatusChanged { run { input } } }';
    socket.send({ id: '1', type: 'subscribe', payload: { query: subscription } });
    // It is open once the server has answered something that was asked after it.
    socket.send({ id: '2', type: 'subscribe', payload: { query: '{ viewer { name } }' } });
    expect(JSON.parse(await socket.next())).toMatchObject({ id: '2', type: 'next' });
    expect(JSON.parse(await socket.next())).toMatchObject({ id: '2', type: 'complete' });
    const frame = { seq: 1, kind: 'run_status', ts: new Date(), payload: '{"status":"queued"}' } as const;
    test.engine.bus.emit('run.frames', { projectId, runId, app: 'shop', workflow: 'order', frames: [frame] });
    expect(JSON.parse(await socket.next())).toMatchObject({ id: '1', type: 'next' });
    await expect.poll(held).toBe(0);
    socket.socket.terminate();
  });

  it('is refused to what an operation over a socket left under way when it completed', async () => {
    let completed = (): void => {};
    const isOver = new Promise<void>((resolve) => {
      completed = resolve;
    });
    const late = afterStatement(test.engine.db, 'selectRunPayloads', isOver);
    const slow = await startGraphql({ ...test.engine, db: late.db });
    const socket = await acceptedSocket(slow, key.token);
    // The logs are refused at once, and the run with them, while its input is being looked for.
    const payload = { query: `{ run(id: "${runId}") { input logs(limit: 0) { seq } } }` };
    socket.send({ id: '1', type: 'subscribe', payload });
    expect(JSON.parse(await socket.next())).toMatchObject({ payload: { data: { run: null } } });
    expect(JSON.parse(await socket.next())).toMatchObject({ type: 'complete' });
    completed();
    await late.done;
    await new Promise(setImmediate);
    expect(held()).toBe(0);
    socket.socket.terminate();
    await slow.stop();
  });
});

describe('a caller that has gone', () => {
  it.each(['HTTP', 'a socket'])('waits for no room over %s', async (surface) => {
    const payloadRoom = new PayloadRoom({ maxBytes: 200_000, waitMs: 60_000 });
    payloadRoom.enterNow(100_000);
    const enter = vi.spyOn(payloadRoom, 'enter');
    const full = await startGraphql({ ...test.engine, payloadRoom });
    const leave = await (surface === 'HTTP' ? askOverHttp : askOverSocket)(full);
    await expect.poll(() => enter.mock.results).toHaveLength(1);
    leave();
    await expect(enter.mock.results[0]?.value).rejects.toMatchObject({ kind: 'busy' });
    await full.stop();
  });
});

/** Asks for the large answer; how to go without it. */
async function askOverHttp({ url }: GraphqlServer): Promise<() => void> {
  const caller = new AbortController();
  const headers = { authorization: `Bearer ${key.token}`, 'content-type': 'application/json' };
  const asked = fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }), signal: caller.signal });
  asked.catch(() => undefined);
  return () => caller.abort();
}

async function askOverSocket(at: GraphqlServer): Promise<() => void> {
  const { socket, send } = await acceptedSocket(at, key.token);
  send({ id: '1', type: 'subscribe', payload: { query } });
  return () => socket.terminate();
}

interface Late {
  db: Database;
  /** The statement was answered. */
  done: Promise<void>;
}

/**
 * The database, in which the first statement of that name is answered only after something else.
 */
function afterStatement(db: Database, name: string, other: Promise<void>): Late {
  let answered = (): void => {};
  const done = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const query = async (config: { name?: string }, ...rest: unknown[]): Promise<unknown> => {
    const rows = await Reflect.apply(db.query, db, [config, ...rest]);
    if (config.name !== name) return rows;
    await other;
    answered();
    return rows;
  };
  return { db: { ...db, query: query as Database['query'] }, done };
}
