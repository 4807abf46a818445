import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../src/engine/context.ts';
import { sendEvent } from '../../src/engine/events/index.ts';
import { newId } from '../../src/engine/ids.ts';
import { RawJson } from '../../src/engine/json/index.ts';
import { createApiKey, keyBounds, revokeApiKey } from '../../src/engine/keys/index.ts';
import { openStream, type SseReader } from '../rest/sseReader.ts';
import { insertFrame, insertRun } from '../schema/fixtures.ts';
import { createTestProject, useEngine } from '../support/engine.ts';
import { postTo } from './asking.ts';
import { type GraphqlServer, type IssuedKey, issueKey, startGraphql } from './server.ts';

const test = useEngine();
let engine: EngineContext;
let server: GraphqlServer;
let projectId: string;
let key: IssuedKey;

beforeAll(async () => {
  engine = test.engine;
  projectId = await createTestProject(engine);
  key = await issueKey(engine, projectId, 'public');
  server = await startGraphql(engine);
});
afterAll(() => server.stop());

const frames = 'subscription ($id: ID!, $from: Int) { runFrames(runId: $id, from: $from) { seq payload } }';
const ingested = 'subscription { eventIngested { name data } }';

interface Asked {
  variables?: Record<string, unknown>;
  token?: string;
  headers?: Record<string, string>;
  at?: GraphqlServer;
}

function subscribe(
  query: string,
  { variables, token = key.token, headers, at = server }: Asked = {},
): Promise<SseReader> {
  const search = new URLSearchParams({ query, ...(variables && { variables: JSON.stringify(variables) }) });
  const usual = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  return openStream(`${at.url}?${search}`, { ...usual, ...headers });
}

/** A run whose journal is complete. */
async function endedRun(): Promise<string> {
  const id = await insertRun(engine, projectId, { status: 'succeeded' });
  await insertFrame(engine, id, { seq: 1, kind: 'run_status', payload: '{"status":\n"queued"}' });
  await insertFrame(engine, id, { seq: 2, kind: 'run_status', payload: '{"status":"succeeded"}' });
  return id;
}

describe('a subscription over Server-Sent Events', () => {
  it('answers an event for each result, in order, and one for the end', async () => {
    const stream = await subscribe(frames, { variables: { id: await endedRun() } });
    expect(stream.headers['content-type']).toContain('text/event-stream');
    expect(await stream.rest()).toEqual([
      { event: 'next', id: undefined, data: { data: { runFrames: { seq: 1, payload: { status: 'queued' } } } } },
      { event: 'next', id: undefined, data: { data: { runFrames: { seq: 2, payload: { status: 'succeeded' } } } } },
      { event: 'complete', id: undefined, data: undefined },
    ]);
  });

  it('runs by POST as well, and keeps the text of payloads', async () => {
    const id = await endedRun();
    const body = JSON.stringify({ query: frames, variables: { id, from: 1 } });
    const { text } = await postTo({ url: server.url, token: key.token }, body, {
      headers: { accept: 'application/json, text/event-stream' },
    });
    expect(text).toBe(
      'event: next\ndata: {"data":{"runFrames":{"seq":2,"payload":{"status":"succeeded"}}}}\n\nevent: complete\ndata: \n\n',
    );
  });

  it('gets live events of its project only', async () => {
    const other = await createTestProject(engine);
    const stream = await subscribe(ingested);
    await sendEvent(engine, { projectId: other, input: { name: 'foreign' } });
    await sendEvent(engine, { projectId, input: { name: 'own', data: RawJson.trusted('1e400') } });
    expect(await stream.next()).toMatchObject({ event: 'next', data: { data: { eventIngested: { name: 'own' } } } });
    stream.leave();
  });

  it('answers the errors of a subscription that cannot begin, then ends', async () => {
    const other = await createTestProject(engine);
    for (const id of [newId(), await insertRun(engine, other)]) {
      const [refused, end] = await (await subscribe(frames, { variables: { id } })).rest();
      expect(refused?.data).toMatchObject({
        errors: [{ message: 'run not found', extensions: { code: 'NOT_FOUND' } }],
      });
      expect(end?.event).toBe('complete');
    }
  });

  it('answers JSON for a mistake in the document, an unknown key, and a caller that takes no events', async () => {
    const mistaken = await subscribe('subscription { nope }');
    expect(mistaken.headers['content-type']).toContain('json');
    mistaken.leave();
    expect(await subscribe(ingested, { token: 'nonsense' })).toMatchObject({ status: 401 });
    const refused = await subscribe(ingested, { headers: { accept: 'application/json' } });
    expect(refused.status).toBe(400);
  });

  it('does not answer a web page of another origin', async () => {
    const stream = await subscribe(ingested, { headers: { origin: 'https://elsewhere.example' } });
    expect(stream.status).toBe(403);
  });
});

describe('an open stream', () => {
  it('counts among the sockets and streams of its key, and no longer among its requests', async () => {
    const own = await issueKey(engine, projectId, 'public');
    const { permits } = keyBounds(engine);
    const taken: (() => void)[] = [];
    const stream = await subscribe(ingested, { token: own.token });
    for (let leave = permits.take({ keyId: own.id }); leave; leave = permits.take({ keyId: own.id })) taken.push(leave);
    const refused = await subscribe(ingested, { token: own.token });
    expect(refused.status).toBe(400);
    for (const leave of taken) leave();
    stream.leave();
    await expect.poll(() => server.streams.size).toBe(0);
    const again = await subscribe(ingested, { token: own.token });
    expect(again.status).toBe(200);
    again.leave();
  });

  it('ends within five seconds after its key was revoked', async () => {
    const { apiKey, token } = await createApiKey(engine, { projectId, name: 'doomed', kind: 'public' });
    const stream = await subscribe(ingested, { token });
    const ended = stream.rest();
    await revokeApiKey(engine, { id: apiKey.id });
    expect(await ended).toEqual([]);
  });

  it('ends when the service stops, which then takes no further one', async () => {
    const own = await startGraphql(engine);
    const stream = await subscribe(ingested, { at: own });
    const ended = stream.rest();
    own.streams.endAll();
    expect(await ended).toEqual([]);
    const late = await subscribe(ingested, { at: own });
    expect(late.status).toBe(503);
    await own.stop();
  });

  it('releases what it holds when its reader leaves', async () => {
    const stream = await subscribe(ingested);
    await expect.poll(() => server.streams.size).toBeGreaterThan(0);
    stream.leave();
    await expect.poll(() => server.streams.size).toBe(0);
  });
});
