import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setProviderKey } from '../../src/engine/inference/index.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;
const provider = createServer((request, response) => {
  const isKnown = request.headers.authorization === 'Bearer right';
  response.writeHead(isKnown ? 200 : 401).end(isKnown ? '{"data":[]}' : '{"error":{"message":"who are you?"}}');
});

beforeAll(async () => {
  rest = await startRest();
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
});
afterAll(async () => {
  provider.close();
  await rest.close();
});

describe('POST /ai/providers/{provider}/check', () => {
  const path = '/ai/providers/local/check';

  it('answers 501 without a key', async () => {
    const { status, body } = await rest.call('POST', path);
    expect(status).toBe(501);
    expect(body).toEqual({ error: 'inference is not configured' });
  });

  it('answers 200 whether the provider takes the key or not', async () => {
    const baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const scope = { projectId: rest.projectId, provider: 'local', baseUrl };
    await setProviderKey(rest.engine, { ...scope, apiKey: 'wrong' });
    expect(await rest.call('POST', path)).toMatchObject({
      status: 200,
      body: {
        provider: 'local',
        ok: false,
        latencyMs: expect.any(Number),
        error: 'the provider answered 401: who are you?',
      },
    });
    await setProviderKey(rest.engine, { ...scope, apiKey: 'right' });
    const { status, body } = await rest.call('POST', path);
    expect({ status, body }).toEqual({
      status: 200,
      body: { provider: 'local', ok: true, latencyMs: expect.any(Number) },
    });
  });

  it('takes no public key, and no key of another project', async () => {
    expect((await rest.call('POST', path, undefined, { key: rest.keys.public })).status).toBe(403);
    const { secret } = await rest.stranger();
    expect((await rest.call('POST', path, undefined, { key: secret })).status).toBe(501);
  });
});
