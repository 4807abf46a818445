import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { mintKey } from '../../src/engine/keys/index.ts';
import { maxBodyBytes } from '../../src/http/index.ts';
import { readsBody } from '../../src/rest/declare/route.ts';
import { routes } from '../../src/rest/index.ts';
import { fittingBody, type RestServer, startRest } from './restServer.ts';

let rest: RestServer;

beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest.close());

const fill = (path: string, id: string): string => path.replaceAll(/\{\w+\}/g, id);
const keyed = routes.filter((route) => route.scope !== 'none').map((route) => [route.method, route.path] as const);
const writes = routes.filter((route) => route.scope === 'write').map((route) => [route.method, route.path] as const);
const withId = routes
  .filter((route) => route.path.includes('{id}'))
  .map((route) => [route.method, route.path, fittingBody(route)] as const);
// All routes that read a body as JSON, whether they need its fields or not.
const withBody = routes.filter(readsBody).map((route) => [route.method, route.path] as const);

describe('routes', () => {
  test('an unknown route answers 404 not found, with and without a key', async () => {
    for (const path of ['/', '/nothing', '/runs/x/y', '/events/', '//runs', '/RUNS', '/runs/x/steps/1'].filter(
      (each) => each !== '/events/',
    )) {
      expect(await rest.call('GET', path)).toMatchObject({ status: 404, body: { error: 'not found' } });
      expect(await rest.call('POST', path, {}, { key: null })).toMatchObject({
        status: 404,
        body: { error: 'not found' },
      });
    }
  });

  test('a wrong method answers 405 and names those that are allowed', async () => {
    const answer = await rest.call('PUT', '/events', {});
    expect(answer).toMatchObject({ status: 405, body: { error: 'method not allowed' } });
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
    expect((await rest.call('DELETE', '/runs/stream')).headers.get('allow')).toBe('GET, HEAD');
  });

  test('/connect without an upgrade answers 426 and says what it takes, but not to a public key', async () => {
    const answer = await rest.call('GET', '/connect');
    expect(answer).toMatchObject({ status: 426, body: { error: expect.stringContaining('WebSocket') } });
    expect(answer.headers.get('upgrade')).toBe('websocket');
    expect(await rest.call('GET', '/connect', undefined, { key: rest.keys.public })).toMatchObject({ status: 403 });
    expect((await rest.call('POST', '/connect')).headers.get('allow')).toBe('GET, HEAD');
  });

  test('a path that is not percent-encoded UTF-8 answers 400', async () => {
    expect(await rest.call('GET', '/runs/%E0%A4%A')).toMatchObject({ status: 400 });
  });

  test.each(routes.map((route) => [route.method, route.path] as const))(
    '%s %s with a query that cannot be read answers 400',
    async (method, path) => {
      for (const search of ['%ff', 'app=%FF', 'app=a%00b'])
        expect(await rest.call(method, `${fill(path, newId())}?${search}`), search).toMatchObject({ status: 400 });
    },
  );

  test('every answer carries the same few headers, and none names the software', async () => {
    for (const path of ['/runs', '/nothing', '/runs?limit=0']) {
      const { headers } = await rest.call('GET', path);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.has('x-powered-by')).toBe(false);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });

  test('HEAD answers what GET answers, without the body', async () => {
    const answer = await rest.call('HEAD', '/apps');
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(answer.headers.get('content-length')).toBe('2');
  });
});

describe('keys', () => {
  test.each(keyed)('%s %s without a key answers 401', async (method, path) => {
    const answer = await rest.call(method, fill(path, newId()), undefined, { key: null });
    expect(answer).toMatchObject({ status: 401, body: { error: expect.any(String) } });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('an unknown, mangled or differently presented key answers 401', async () => {
    const call = async (headers: Record<string, string>) =>
      (await rest.call('GET', '/apps', undefined, { key: null, headers })).status;
    expect(await call({ authorization: `Bearer ${mintKey('secret').token}` })).toBe(401);
    expect(await call({ authorization: `Bearer ${rest.keys.secret}x` })).toBe(401);
    expect(await call({ authorization: rest.keys.secret })).toBe(401);
    expect(await call({ authorization: `Basic ${rest.keys.secret}` })).toBe(401);
    expect(await call({ authorization: `Bearer ${'k'.repeat(10_000)}` })).toBe(401);
  });

  test.each(writes)('%s %s with a public key answers 403 before the body is looked at', async (method, path) => {
    const body = method === 'GET' ? undefined : '{not json';
    const answer = await rest.call(method, fill(path, newId()), body, { key: rest.keys.public });
    expect(answer).toMatchObject({ status: 403, body: { error: expect.stringContaining('secret') } });
  });

  test('a public key may read', async () => {
    expect(await rest.call('GET', '/runs', undefined, { key: rest.keys.public })).toMatchObject({
      status: 200,
      body: [],
    });
  });

  test('the operator key reaches a project only when it names one', async () => {
    const key = rest.keys.operator;
    expect(await rest.call('GET', '/runs', undefined, { key })).toMatchObject({ status: 400 });
    const named = { key, headers: { 'x-service-project': rest.projectId } };
    expect(await rest.call('GET', '/runs', undefined, named)).toMatchObject({ status: 200, body: [] });
    const unknown = { key, headers: { 'x-service-project': newId() } };
    expect(await rest.call('GET', '/runs', undefined, unknown)).toMatchObject({ status: 404 });
  });
});

describe('ids', () => {
  test.each(withId)(
    '%s %s answers the same 404 for an id that is no UUID as for an unknown one',
    async (method, path, body) => {
      const unknown = await rest.call(method, fill(path, newId()), body);
      expect(unknown).toMatchObject({ status: 404, body: { error: expect.stringContaining('not found') } });
      for (const id of ['x', '1', '%27%3B--', '%00', 'a'.repeat(4000), '%F0%9F%98%80', `${newId()}0`]) {
        const answer = await rest.call(method, fill(path, id), body);
        expect({ status: answer.status, body: answer.body }).toEqual({ status: 404, body: unknown.body });
      }
    },
  );

  test('a filter by an id that is no UUID matches nothing', async () => {
    for (const name of ['eventId', 'replayOf', 'parentRunId'])
      expect(await rest.call('GET', `/runs?${name}=x`)).toMatchObject({ status: 200, body: [] });
  });
});

describe('bodies', () => {
  const send = (method: string, path: string, body: string | Uint8Array, headers = {}) =>
    rest.call(method, fill(path, 'x'), body, { headers });

  test.each(withBody)('%s %s answers 400 to what is no JSON', async (method, path) => {
    for (const body of [
      '{',
      'name=x',
      '{"name":"x",}',
      "{'name':'x'}",
      '{"name":NaN}',
      '\u{feff}{}',
      '{"a":1}{}',
      '"\u0001"',
    ])
      expect(await send(method, path, body), body).toMatchObject({ status: 400, body: { error: 'malformed JSON' } });
    expect(await send(method, path, Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ status: 400 });
  });

  test.each(withBody)('%s %s answers 400 to 10 000 levels of nesting, and names the limit', async (method, path) => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = `{"name":"x","data":${open.repeat(10_000)}1${close.repeat(10_000)}}`;
      expect(await send(method, path, deep)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('500') },
      });
    }
  });

  test.each(withBody)('%s %s answers 413 to a body over 1 MiB', async (method, path) => {
    const body = `{"name":"x","data":"${'x'.repeat(maxBodyBytes)}"}`;
    expect(await send(method, path, body)).toMatchObject({ status: 413, body: { error: 'request body too large' } });
  });

  test.each(withBody)('%s %s answers 415 to a compressed body', async (method, path) => {
    expect(await send(method, path, '{}', { 'content-encoding': 'gzip' })).toMatchObject({ status: 415 });
  });

  test('POST /events answers 400 to a body that is no object, or none', async () => {
    for (const body of ['[]', '"x"', 'null', '1', 'true'])
      expect(await rest.call('POST', '/events', body), body).toMatchObject({
        status: 400,
        body: { error: 'the body must be a JSON object' },
      });
    expect(await rest.call('POST', '/events')).toMatchObject({
      status: 400,
      body: { error: 'a JSON body is required' },
    });
  });

  test('a field of the wrong type answers 400 and is named', async () => {
    for (const field of ['name', 'app', 'runner', 'targetApp', 'dedupeId', 'session'])
      for (const value of [1, true, {}, ['x']])
        expect(await rest.call('POST', '/events', { name: 'x', [field]: value }), field).toMatchObject({
          status: 400,
          body: { error: expect.stringContaining(field) },
        });
    for (const tags of [1, 'x', ['a'], { a: 1 }, { a: null }, { '': 'x' }, { 'a b': 'x' }, { a: 'v'.repeat(257) }])
      expect(await rest.call('POST', '/events', { name: 'x', tags }), JSON.stringify(tags)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('tag') },
      });
  });

  test('a string over 256 characters answers 400 and names field and limit', async () => {
    for (const field of ['name', 'app', 'runner', 'targetApp', 'dedupeId', 'session'])
      expect(await rest.call('POST', '/events', { name: 'x', [field]: 'a'.repeat(257) }), field).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(new RegExp(`${field}.*256`)) },
      });
  });

  test('a name is required, and not blank', async () => {
    for (const body of [{}, { name: null }, { name: '' }, { name: '  ' }])
      expect(await rest.call('POST', '/events', body)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('name') },
      });
  });

  test('U+0000 and unpaired surrogates answer 400, escaped or not, keys too', async () => {
    for (const data of ['"\\u0000"', '"\\ud800"', '{"\\u0000":1}', '["\\udc00x"]'])
      expect(await rest.call('POST', '/events', `{"name":"x","data":${data}}`), data).toMatchObject({
        status: 400,
        body: { error: 'unsupported character in event' },
      });
    expect(await rest.call('POST', '/events', '{"name":"a\\u0000b"}')).toMatchObject({ status: 400 });
    expect(await rest.call('POST', '/events', '{"name":"a\\u0007b"}')).toMatchObject({ status: 400 });
    expect(await rest.call('POST', '/events', '{"name":"x","session":"\\ud800"}')).toMatchObject({ status: 400 });
  });

  test('a __proto__ key changes nothing but what it says', async () => {
    const body = '{"name":"x","__proto__":{"app":"evil"},"data":{"__proto__":{"a":1}},"constructor":{}}';
    const { status, body: answer } = await rest.call('POST', '/events', body);
    expect(status).toBe(202);
    const event = await rest.call('GET', `/events/${answer.eventId}`);
    expect(event.body.app).toBe('default');
    expect(event.text).toContain('"data":{"__proto__":{"a":1}}');
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('parameters', () => {
  test('unknown words, sizes and timestamps answer 400 and name what is accepted', async () => {
    const cases: [string, string][] = [
      ['status=done', 'queued, running, waiting, paused, needs_attention, succeeded, failed, cancelled, active, all'],
      ['runType=webhook', 'event, cron, manual'],
      ['sort=name', 'started, workflow, status, app, duration'],
      ['dir=up', 'asc, desc'],
      ['limit=0', 'from 1 to 200'],
      ['limit=x', 'from 1 to 200'],
      ['since=yesterday', 'RFC 3339'],
      ['cursor=mangled', 'cursor'],
      ['tag.a%20b=1', 'A-Z'],
      ['deep=maybe', '1 or 0'],
      [`app=${'a'.repeat(257)}`, '256'],
      ['app=a&app=b', 'more than once'],
    ];
    for (const [search, expected] of cases)
      expect(await rest.call('GET', `/runs?${search}`), search).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining(expected) },
      });
    expect(await rest.call('GET', '/events?limit=1.5')).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('1000') },
    });
    expect(await rest.call('GET', '/events?cursor=mangled')).toMatchObject({ status: 400 });
    for (const path of ['logs?from=x', 'logs?from=-1', 'logs?limit=0', 'stream?from=x'])
      expect(await rest.call('GET', `/runs/${newId()}/${path}`), path).toMatchObject({ status: 400 });
  });

  test('a page size over the maximum is clamped, and unknown parameters are ignored', async () => {
    expect(await rest.call('GET', '/runs?limit=100000000000&color=red')).toMatchObject({ status: 200, body: [] });
  });
});
