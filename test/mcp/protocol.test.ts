import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../../src/engine/keys/index.ts';
import { maxBodyBytes } from '../../src/http/index.ts';
import { type McpServer, startMcp } from './mcpServer.ts';

let mcp: McpServer;
beforeAll(async () => {
  mcp = await startMcp({ mcp: { allowedOrigins: ['https://app.example.com'] } });
});
afterAll(() => mcp.close());

const modern = '2026-07-28';
const older = '2025-11-25';
const prefix = 'io.modelcontextprotocol';
const envelope = { [`${prefix}/protocolVersion`]: modern, [`${prefix}/clientCapabilities`]: {} };

interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it, and fail where it is another thing.
  message: any;
}

/** Sends a body as it is. A header that is undefined is left out. */
async function post(body: unknown, headers: Record<string, string | undefined> = {}, search = ''): Promise<Answer> {
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${mcp.keys.secret}`,
    ...headers,
  };
  const sent = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const answer = await fetch(`${mcp.url}${search}`, {
    method: 'POST',
    headers: Object.fromEntries(sent),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  const data =
    text
      .split('\n')
      .findLast((line) => line.startsWith('data:'))
      ?.slice('data:'.length) ?? text;
  return { status: answer.status, headers: answer.headers, text, message: data === '' ? undefined : JSON.parse(data) };
}

/** A request of 2026-07-28 with the headers that belong to it. */
const ask = (method: string, params: object = {}, headers: Record<string, string | undefined> = {}, id: unknown = 7) =>
  post(
    { jsonrpc: '2.0', id, method, params: { _meta: envelope, ...params } },
    { 'mcp-protocol-version': modern, 'mcp-method': method, ...headers },
  );

/** A request of 2025-11-25. */
const askOlder = (method: string, params: object = {}) =>
  post({ jsonrpc: '2.0', id: 7, method, params }, { 'mcp-protocol-version': older });

describe('/mcp in 2026-07-28', () => {
  it('answers server/discover without a handshake', async () => {
    const { status, message, headers } = await ask('server/discover');
    expect([status, message.id]).toEqual([200, 7]);
    expect(message.result.supportedVersions).toEqual([modern]);
    expect(Object.keys(message.result.capabilities)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/logging|tasks|sampling|roots/)]),
    );
    expect(JSON.stringify(message.result.capabilities)).not.toMatch(/listChanged|subscribe/);
    expect(message.result).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' });
    expect(headers.get('mcp-session-id')).toBeNull();
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('refuses headers that differ from the body with -32020', async () => {
    const cases: [string, object, Record<string, string | undefined>][] = [
      ['tools/list', {}, { 'mcp-method': 'tools/call' }],
      ['tools/list', {}, { 'mcp-method': 'tools/list, tools/list' }],
      ['tools/list', {}, { 'mcp-method': undefined }],
      ['tools/list', {}, { 'mcp-protocol-version': older }],
      ['tools/list', {}, { 'mcp-protocol-version': undefined }],
      ['tools/call', { name: 'get_run', arguments: {} }, { 'mcp-name': 'cancel_run' }],
      ['tools/call', { name: 'get_run', arguments: {} }, {}],
    ];
    for (const [method, params, headers] of cases) {
      const { status, message } = await ask(method, params, headers);
      expect([headers, status, message.error.code, message.id]).toEqual([headers, 400, -32_020, 7]);
    }
  });

  it('refuses a revision that it does not speak with -32022, and names those that it does', async () => {
    const params = { _meta: { ...envelope, [`${prefix}/protocolVersion`]: '2031-01-01' } };
    const { status, message } = await ask('tools/list', params, { 'mcp-protocol-version': '2031-01-01' });
    expect([status, message.error.code]).toEqual([400, -32_022]);
    expect(message.error.data).toMatchObject({ supported: [modern], requested: '2031-01-01' });
  });

  it('refuses a request without the members that each request has to bring', async () => {
    for (const missing of Object.keys(envelope)) {
      const rest = Object.fromEntries(Object.entries(envelope).filter(([name]) => name !== missing));
      const { status, message } = await ask('tools/list', { _meta: rest });
      expect([missing, status, message.error.code]).toEqual([missing, 400, -32_602]);
    }
  });

  it('answers methods that it does not offer with 404 and -32601', async () => {
    const methods = [
      'initialize',
      'ping',
      'logging/setLevel',
      'resources/subscribe',
      'resources/unsubscribe',
      'subscriptions/listen',
      'sampling/createMessage',
      'elicitation/create',
      'roots/list',
      'tasks/get',
      'tasks/list',
      'tasks/result',
      'tasks/cancel',
      'nope',
      'constructor',
      '__proto__',
      'toString',
    ];
    for (const method of methods) {
      const { status, message } = await ask(
        method,
        { notifications: { toolsListChanged: true }, taskId: 't' },
        {
          'mcp-name': 't',
        },
      );
      expect([method, status, message.error.code, message.id]).toEqual([method, 404, -32_601, 7]);
    }
  });

  it('refuses subscriptions/listen however it is written, and keeps no stream', async () => {
    const params = JSON.stringify({ _meta: envelope, notifications: { toolsListChanged: true } });
    const headers = { 'mcp-protocol-version': modern, 'mcp-method': 'subscriptions/listen' };
    for (const method of [
      '"method":"subscriptions\\/listen"',
      '"method":"subscriptions\\u002flisten"',
      '"method":"tools/list","method":"subscriptions/listen"',
      '"m\\u0065thod":"subscriptions/listen"',
    ]) {
      const { status, message } = await post(`{"jsonrpc":"2.0","id":"a",${method},"params":${params}}`, headers);
      expect([method, status, message]).toEqual([
        method,
        404,
        { jsonrpc: '2.0', id: 'a', error: { code: -32_601, message: 'Method not found' } },
      ]);
    }
    const filterless = await ask('subscriptions/listen');
    expect([filterless.status, filterless.message.error.code]).toEqual([404, -32_601]);
    const mismatched = await ask('subscriptions/listen', {}, { 'mcp-method': 'tools/list' });
    expect([mismatched.status, mismatched.message.error.code]).toEqual([400, -32_020]);
    const older = await askOlder('subscriptions/listen', { notifications: { toolsListChanged: true } });
    expect(older.message.error.code).toBe(-32_601);
  });

  it('answers parameters that do not fit with -32602 and a text of its own', async () => {
    for (const params of [{ name: 5 }, { name: 'get_run', arguments: 'x' }, { name: 'get_run', arguments: [1] }, {}]) {
      const { message } = await ask('tools/call', params, { 'mcp-name': 'get_run' });
      expect([params, message.error.code]).toEqual([params, -32_602]);
    }
    const { message } = await ask('tools/list', { cursor: 5 });
    expect(message.error).toEqual({ code: -32_602, message: 'the parameters do not fit tools/list' });
  });
});

describe('/mcp in 2025-11-25', () => {
  it('answers initialize without a session, and then each request for itself', async () => {
    const clientInfo = { name: 'older', version: '1' };
    const { status, message, headers } = await post({
      jsonrpc: '2.0',
      id: 7,
      method: 'initialize',
      params: { protocolVersion: older, capabilities: {}, clientInfo },
    });
    expect([status, message.result.protocolVersion, headers.get('mcp-session-id')]).toEqual([200, older, null]);
    expect(JSON.stringify(message.result.capabilities)).not.toMatch(/listChanged|subscribe|logging|tasks/);
    const initialized = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([initialized.status, initialized.text]).toEqual([202, '']);
    const listed = await askOlder('tools/list');
    expect(listed.message.result.tools.length).toBeGreaterThan(0);
    expect(listed.headers.get('mcp-session-id')).toBeNull();
  });

  it('does not offer logging, subscriptions, sampling or tasks', async () => {
    for (const method of ['logging/setLevel', 'resources/subscribe', 'sampling/createMessage', 'tasks/get', 'nope']) {
      const { message } = await askOlder(method, { level: 'debug', uri: 'run://x', taskId: 't' });
      expect([method, message.error.code]).toEqual([method, -32_601]);
    }
  });

  it('keeps nothing of a session that a client makes up', async () => {
    const { status, headers } = await post(
      { jsonrpc: '2.0', id: 7, method: 'tools/list' },
      { 'mcp-session-id': 'mine' },
    );
    expect([status, headers.get('mcp-session-id')]).toEqual([200, null]);
  });
});

describe('a message at /mcp', () => {
  it('is at most 1 MiB', async () => {
    const spaces = (bytes: number) => `${' '.repeat(bytes - 2)}{}`;
    expect((await post(spaces(maxBodyBytes))).message.error.code).toBe(-32_600);
    const { status, message } = await post(spaces(maxBodyBytes + 1));
    expect([status, message]).toEqual([413, { error: 'request body too large' }]);
  });

  it('is nested at most 500 levels deep', async () => {
    const nested = (levels: number) => {
      const inner = levels - 3;
      return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_run","arguments":{"id":${'['.repeat(inner)}${']'.repeat(inner)}}}}`;
    };
    const fits = await post(nested(500));
    expect(fits.message.result.structuredContent.code).toBe('BAD_USER_INPUT');
    const { status, message } = await post(nested(501));
    expect([status, message.error]).toMatchObject([400, { code: -32_700 }]);
    expect(message.error.message).toContain('500');
  });

  it('is no batch, be its messages valid or not', async () => {
    const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
    for (const body of [[], [list], [list, list], [[]], '\n [ {"jsonrpc":"2.0"} ]']) {
      const { status, message } = await post(body);
      expect([status, message.error.code]).toEqual([400, -32_600]);
    }
  });

  it('is JSON that the protocol knows', async () => {
    for (const body of ['{ no', '', 'undefined', '{"a":1']) {
      const { status, message } = await post(body);
      expect([body, status, message.error.code, message.id]).toEqual([body, 400, -32_700, null]);
    }
    for (const body of ['null', '5', '"x"', 'true', '{}', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}']) {
      const { status, message } = await post(body);
      expect([body, status, message.error.code]).toEqual([body, 400, -32_600]);
    }
  });

  it('is sent as JSON in UTF-8', async () => {
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post('{}', { 'content-encoding': 'gzip' })).status).toBe(415);
  });

  it('may be a notification or an answer, which is taken without a word', async () => {
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { jsonrpc: '2.0', method: 'notifications/nope' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      const { status, text } = await post(body);
      expect([body, status, text]).toEqual([body, 202, '']);
    }
  });
});

describe('the key of a request at /mcp', () => {
  it('stands in the header only', async () => {
    const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
    for (const search of [`?key=${mcp.keys.secret}`, `?access_token=${mcp.keys.secret}`])
      expect((await post(list, { authorization: undefined }, search)).status).toBe(401);
    for (const authorization of [undefined, 'Bearer', 'Bearer ', 'Bearer nope', `Basic ${mcp.keys.secret}`]) {
      const { status, headers, message } = await post(list, { authorization });
      expect([authorization, status, headers.get('www-authenticate')]).toEqual([authorization, 401, 'Bearer']);
      expect(message).toEqual({ error: 'missing or unknown API key' });
    }
  });

  it('is that of the operator with X-Service-Project, as at REST', async () => {
    const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
    const authorization = `Bearer ${mcp.keys.operator}`;
    const bare = await post(list, { authorization });
    expect(bare.status).toBe(400);
    const named = await post(list, { authorization, 'x-service-project': mcp.projectId });
    expect([named.status, named.message.result.tools.length > 0]).toEqual([200, true]);
    const strange = await post(list, { authorization, 'x-service-project': 'nope' });
    expect([strange.status, strange.message]).toEqual([404, { error: 'project not found' }]);
    const platform = async (projectId?: string) =>
      `Bearer ${(await createApiKey(mcp.engine, { name: 'a platform', kind: 'platform', projectId })).token}`;
    const unbound = await platform();
    expect((await post(list, { authorization: unbound })).status).toBe(400);
    expect((await post(list, { authorization: unbound, 'x-service-project': mcp.projectId })).status).toBe(200);
    const bound = await platform(mcp.projectId);
    expect((await post(list, { authorization: bound, 'x-service-project': mcp.projectId })).status).toBe(200);
    const { projectId: other } = await mcp.stranger();
    expect((await post(list, { authorization: bound, 'x-service-project': other })).status).toBe(404);
  });

  it('ends what is under way when it is revoked', async () => {
    const { secret, projectId } = await mcp.stranger();
    let begun: () => void = () => {};
    const underWay = new Promise<void>((resolve) => {
      begun = resolve;
    });
    // A body that never ends keeps its request under way.
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(' '));
        begun();
        return new Promise(() => {});
      },
    });
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body, duplex: 'half' };
    const answer = fetch(mcp.url, init);
    await underWay;
    const [key] = await listApiKeys(mcp.engine, { projectId });
    await expect.poll(() => mcp.bodies.heldBytes).toBeGreaterThan(0);
    await revokeApiKey(mcp.engine, { id: key?.id ?? '' });
    expect((await answer).status).toBe(401);
  });
});

describe('pages at /mcp', () => {
  const preflight = (origin: string, headers: Record<string, string> = {}) =>
    fetch(mcp.url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST', ...headers } });

  it('get CORS if they are allowed, without a key', async () => {
    const allowed = await preflight('https://app.example.com');
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'https://app.example.com',
    ]);
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull();
    for (const name of ['authorization', 'mcp-method', 'mcp-name', 'mcp-protocol-version', 'x-service-project'])
      expect(allowed.headers.get('access-control-allow-headers')).toContain(name);
  });

  it('may read why they were refused', async () => {
    const { status, headers } = await post('{}', { origin: 'https://app.example.com', authorization: undefined });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([401, 'https://app.example.com']);
  });

  it('get no CORS if they are strange, or of the service itself', async () => {
    const strange = await preflight('https://evil.example');
    expect([strange.status, strange.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    const own = await preflight(new URL(mcp.url).origin);
    expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([405, null]);
  });
});

describe('the log of /mcp', () => {
  it('holds nothing of arguments or results, even at trace', async () => {
    const lines: string[] = [];
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const log = pino({ level: 'trace' }, sink);
    const quiet = mcp.engine.log;
    mcp.engine.log = log;
    try {
      const planted = 'planted-d41d8cd98f';
      for (const id of [planted, 5, [planted]])
        await ask('tools/call', { name: 'get_run', arguments: { id } }, { 'mcp-name': 'get_run' });
      await ask('tools/call', { name: 'get_run', arguments: { [planted]: 1 } }, { 'mcp-name': 'get_run' });
      await ask(planted, { planted });
      await ask('tools/list', { cursor: { planted } });
      await ask('tools/call', { name: planted }, { 'mcp-name': planted });
      await post(`{"${planted}`);
      await post([planted]);
      await post({
        jsonrpc: '2.0',
        id: planted,
        method: 'tools/call',
        params: { name: 'get_run', arguments: planted },
      });
      expect(lines.join('')).not.toContain(planted);
      expect(lines.join('')).not.toContain(mcp.keys.secret);
    } finally {
      mcp.engine.log = quiet;
    }
  });

  it('alone holds what nobody expected: no stack and no message leaves', async () => {
    const lines: string[] = [];
    const quiet = mcp.engine.log;
    mcp.engine.log = pino({ level: 'error' }, { write: (line) => lines.push(line) });
    const { db } = mcp.engine;
    try {
      Reflect.set(
        mcp.engine,
        'db',
        new Proxy(db, {
          get: (): never => {
            throw new TypeError('a secret detail');
          },
        }),
      );
      const { text } = await ask(
        'tools/call',
        { name: 'get_run', arguments: { id: newId() } },
        { 'mcp-name': 'get_run' },
      );
      expect(text).toContain('internal error');
      expect(text).not.toMatch(/a secret detail|\.ts:|at .*\(/);
      expect(lines.join('')).toContain('a secret detail');
    } finally {
      Reflect.set(mcp.engine, 'db', db);
      mcp.engine.log = quiet;
    }
  });
});

describe('/mcp that stops', () => {
  it('answers what still arrives until the server has closed', async () => {
    const stopping = await startMcp();
    const closing = stopping.endpoint.close();
    const { status, result } = await stopping.request('tools/list');
    expect([status, result.tools.length > 0]).toEqual([200, true]);
    await closing;
    await stopping.close();
  });
});
