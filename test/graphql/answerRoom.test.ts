import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { defaultEngineSettings } from '../../src/engine/settings.ts';
import { getText, sendAtOnce } from '../http/pipelined.ts';
import { insertRun } from '../schema/fixtures.ts';
import { createTestEngine, createTestProject, type TestEngine } from '../support/engine.ts';
import { type GraphqlServer, type IssuedKey, issueKey, startGraphql } from './server.ts';

let test: TestEngine;
let server: GraphqlServer;
let projectId: string;
let key: IssuedKey;
let query: string;

beforeAll(async () => {
  const limits = { ...defaultEngineSettings.limits, answersMaxBytes: 200_000 };
  test = await createTestEngine({ settings: { limits, answerWaitMs: 20 } });
  projectId = await createTestProject(test.engine);
  key = await issueKey(test.engine, projectId, 'public');
  server = await startGraphql(test.engine);
  const id = await insertRun(test.engine, projectId, { input: JSON.stringify('x'.repeat(150_000)) });
  query = `{ run(id: "${id}") { input } }`;
});
afterAll(async () => {
  await server.stop();
  await test.close();
});

const held = (): number => test.engine.payloadRoom.heldBytes;

async function post(): Promise<{ data: unknown; errors?: unknown }> {
  const headers = { authorization: `Bearer ${key.token}`, 'content-type': 'application/json' };
  const answer = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify({ query }) });
  return (await answer.json()) as { data: unknown; errors?: unknown };
}

describe('the room for large answers', () => {
  it('is asked for by an operation over HTTP, and given back with its answer', async () => {
    const giveBack = test.engine.payloadRoom.takeNow(100_000);
    expect(await post()).toMatchObject({ errors: [{ extensions: { code: 'BUSY' } }] });
    giveBack();
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
});
