import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { createApiKey } from '../../src/engine/keys/index.ts';
import { keyRing } from '../../src/engine/keys/keyRing.ts';
import { complete, ScriptedDispatcher } from '../support/scriptedRunner.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;

beforeAll(async () => {
  rest = await startRest();
  await registerWorkflows(rest.engine, rest.projectId, [{ name: 'flow' }]);
});
afterAll(() => rest.close());

const start = async (): Promise<string> => (await rest.call('POST', '/workflows/default/flow/trigger')).body.runId;

test('GET /runs/{id}?wait= answers once the run has ended', async () => {
  const id = await start();
  const waiting = rest.call('GET', `/runs/${id}?wait=20000`);
  const dispatcher = await new ScriptedDispatcher(rest.engine, () => complete('done')).start();
  await dispatcher.runOnce();
  expect(await waiting).toMatchObject({ status: 200, body: { id, status: 'succeeded', result: 'done' } });
  expect(await rest.call('GET', `/runs/${id}?wait=20000`)).toMatchObject({ body: { status: 'succeeded' } });
});

test('the run is answered as it is when the wait has passed', async () => {
  const id = await start();
  expect(await rest.call('GET', `/runs/${id}?wait=1`)).toMatchObject({ status: 200, body: { status: 'queued' } });
});

test('the run is answered as it is when the service stops, to present and later callers', {
  timeout: 20_000,
}, async () => {
  const stopping = await startRest();
  await registerWorkflows(stopping.engine, stopping.projectId, [{ name: 'flow' }]);
  const { runId } = (await stopping.call('POST', '/workflows/default/flow/trigger')).body;
  const path = `/runs/${runId}?wait=30000`;
  const waits = new Promise<void>((resolve) => {
    const { bus } = stopping.engine;
    const listen = bus.on.bind(bus);
    bus.on = (event, ...rest) => {
      if (event === 'service.stopping') resolve();
      return listen(event, ...rest);
    };
  });
  const waiting = stopping.call('GET', path);
  await waits;
  stopping.engine.bus.emit('service.stopping', {});
  expect(await waiting).toMatchObject({ status: 200, body: { status: 'queued' } });
  expect(await stopping.call('GET', path)).toMatchObject({ status: 200, body: { status: 'queued' } });
  await stopping.close();
});

test('an unknown run is answered 404 at once, and an invalid wait 400', async () => {
  expect(await rest.call('GET', `/runs/${newId()}?wait=20000`)).toMatchObject({ status: 404 });
  expect(await rest.call('GET', `/runs/nothing?wait=20000`)).toMatchObject({ status: 404 });
  for (const wait of ['soon', '-1'])
    expect(await rest.call('GET', `/runs/${newId()}?wait=${wait}`)).toMatchObject({ status: 400 });
});

test('a wait ends with its key, also if another process revoked it', async () => {
  const owner = { projectId: rest.projectId, name: 'short', kind: 'public' } as const;
  const { token: key, apiKey } = await createApiKey(rest.engine, owner);
  const waiting = rest.call('GET', `/runs/${await start()}?wait=30000`, undefined, { key });
  const { watch } = keyRing(rest.engine);
  // The wait has begun when its key is watched.
  await expect.poll(() => watch.size).toBe(1);
  await rest.engine.db.query('update api_key set revoked_at = now() where id = $1', [apiKey.id]);
  expect(await watch.runOnce()).toBe(1);
  expect(await waiting).toMatchObject({ status: 401, body: { error: 'the API key has ended' } });
  expect(watch.size).toBe(0);
});

test('a wait ends with its caller', async () => {
  const owner = { projectId: rest.projectId, name: 'leaver', kind: 'public' } as const;
  const { token } = await createApiKey(rest.engine, owner);
  const { watch } = keyRing(rest.engine);
  const leaver = new AbortController();
  const left = fetch(`${rest.url}/runs/${await start()}?wait=30000`, {
    headers: { authorization: `Bearer ${token}` },
    signal: leaver.signal,
  });
  await expect.poll(() => watch.size).toBe(1);
  leaver.abort();
  await expect(left).rejects.toThrow();
  await expect.poll(() => watch.size).toBe(0);
});
