import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EngineContext } from '../../../src/engine/context.ts';
import { checkProvider, setProviderKey } from '../../../src/engine/inference/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';

const test = useEngine();
const apiKey = 'sk-never-to-be-seen-1234567890';
let engine: EngineContext;
let server: Server;
let origin: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let requests: { method: string | undefined; url: string | undefined; headers: IncomingMessage['headers'] }[];

beforeAll(() => {
  engine = test.engine;
});

beforeEach(async () => {
  requests = [];
  server = createServer((request, response) => {
    requests.push({ method: request.method, url: request.url, headers: request.headers });
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const json =
  (status: number, body: unknown): typeof answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

/** The check of a project whose key leads to the server. */
async function checked({ provider = 'openai', path = '/v1', timeoutMs = 5_000 } = {}) {
  const projectId = await createTestProject(engine);
  await setProviderKey(engine, { projectId, provider, apiKey, baseUrl: origin + path });
  return checkProvider(engine, { projectId, provider }, timeoutMs);
}

describe('the check of a provider', () => {
  it.each(['/v1', ''])("lists Anthropic's models by one GET, at a base URL that ends in %j", async (path) => {
    answer = json(200, { data: [{ id: 'claude' }] });
    expect(await checked({ provider: 'anthropic', path })).toEqual({
      provider: 'anthropic',
      ok: true,
      latencyMs: expect.any(Number),
    });
    expect(requests).toMatchObject([
      { method: 'GET', url: '/v1/models', headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' } },
    ]);
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('lists the models of any other provider with a bearer token', async () => {
    answer = json(200, { data: [] });
    expect(await checked({ provider: 'local', path: '/api/v1/' })).toMatchObject({ provider: 'local', ok: true });
    expect(requests).toMatchObject([{ url: '/api/v1/models', headers: { authorization: `Bearer ${apiKey}` } }]);
  });

  it('is refused as not configured where there is no key at all', async () => {
    const projectId = await createTestProject(engine);
    await expect(checkProvider(engine, { projectId, provider: 'groq' })).rejects.toMatchObject({
      kind: 'notConfigured',
      message: 'inference is not configured',
    });
    expect(requests).toEqual([]);
  });

  it('is refused without a key, by the name of the provider if others have keys, and calls nobody', async () => {
    const projectId = await createTestProject(engine);
    await setProviderKey(engine, { projectId, provider: 'openai', apiKey, baseUrl: origin });
    await expect(checkProvider(engine, { projectId, provider: 'groq' })).rejects.toMatchObject({
      kind: 'notConfigured',
      message: 'inference is not configured: no key for groq',
    });
    expect(requests).toEqual([]);
  });

  it("tells the provider's words, bounded, without the key", async () => {
    answer = json(401, {
      error: {
        type: 'authentication_error',
        message: `bad key ${apiKey}, or ${apiKey.slice(4)}\n${'x'.repeat(5_000)}`,
      },
    });
    const { ok, error = '' } = await checked();
    expect(ok).toBe(false);
    expect(error).toMatch(/^the provider answered 401: authentication_error: bad key …, or … x+…$/);
    expect(error).toHaveLength(500);
  });

  it('follows no redirect', async () => {
    answer = (_, response) => response.writeHead(302, { location: `${origin}/elsewhere` }).end();
    expect(await checked()).toMatchObject({
      ok: false,
      error: 'the provider answered 302, and redirects are not followed',
    });
    expect(requests).toHaveLength(1);
  });

  it('reads only the start of an endless answer', async () => {
    answer = (_, response) => {
      response.writeHead(200);
      const write = (): void => {
        if (!response.destroyed) response.write('{'.repeat(64 * 1024), write);
      };
      write();
    };
    expect(await checked()).toMatchObject({ ok: true });
  });

  it('fails for an answer that is no list', async () => {
    answer = (_, response) => response.writeHead(200).end('<html>Welcome</html>');
    expect(await checked()).toMatchObject({ ok: false, error: 'the answer is no list of models' });
  });

  it.each([
    ['before the headers', () => {}],
    ['within the body', (response: ServerResponse) => response.writeHead(200).write('{')],
  ])('ends in time when the provider hangs %s', async (_, begin) => {
    answer = (_request, response) => void begin(response);
    expect(await checked({ timeoutMs: 100 })).toMatchObject({
      ok: false,
      error: expect.stringContaining('the provider did not answer in time'),
    });
  });

  it('tells a lost connection without an address', async () => {
    answer = (request) => request.socket.destroy();
    expect(await checked()).toMatchObject({ ok: false, error: 'the provider closed the connection (UND_ERR_SOCKET)' });
    server.close();
    const { error } = await checked();
    expect(error).toBe('the provider refused the connection (ECONNREFUSED)');
    server.listen(0);
    await once(server, 'listening');
  });
});
