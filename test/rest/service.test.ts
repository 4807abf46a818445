import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../src/engine/keys/index.ts';
import { openApiText, routes } from '../../src/rest/index.ts';
import { schema } from '../../src/schema/schema.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;

beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest.close());

const limits = { maxDuration: 60_000, cancelOn: [{ event: 'order.cancelled', if: 'data.id == run.input.id' }] };
const registration = {
  app: 'shop',
  runner: 'r1',
  url: 'http://127.0.0.1:9/',
  runtime: 'node',
  language: 'typescript',
  version: '1.2.3',
  protocolVersion: 1,
  workflows: [
    {
      name: 'ship',
      triggers: [{ event: 'order.*', if: 'data.total > 10' }, { cron: '0 9 * * *' }],
      retry: { maxAttempts: 3, backoff: 'linear' },
      concurrency: { limit: 2, key: 'customer' },
      steps: [{ name: 'pack', hidden: true }],
      ...limits,
    },
    { name: 'plain' },
  ],
};

test('POST /register answers the runner, its workflows and the secret that signs invokes', async () => {
  expect(await rest.call('POST', '/register', registration)).toMatchObject({
    status: 200,
    body: {
      runnerId: 'r1',
      app: 'shop',
      workflows: ['ship', 'plain'],
      protocolVersion: 1,
      invokeSecret: expect.any(String),
    },
  });
});

test('a registration that is malformed answers 400 naming workflow and field, and registers nothing', async () => {
  const bad: [unknown, string][] = [
    [{ ...registration, protocolVersion: 2 }, 'version'],
    [{ ...registration, app: 1 }, 'app'],
    [{ ...registration, url: 'not a url' }, 'url'],
    [{ ...registration, workflows: {} }, 'workflows'],
    [{ ...registration, workflows: [{ name: 'bad', concurrency: { limit: 0 } }] }, 'limit'],
    [{ ...registration, workflows: [{ name: 'bad', triggers: [{ cron: 'often' }] }] }, 'bad'],
    [[], ''],
  ];
  for (const [body, named] of bad)
    expect(await rest.call('POST', '/register', body), named).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(named) },
    });
  expect((await rest.call('GET', '/workflows')).body.map(({ name }: { name: string }) => name)).not.toContain('bad');
});

test('GET /workflows answers definitions; what was not declared is absent', async () => {
  await rest.call('POST', '/register', registration);
  const [plain, ship] = (await rest.call('GET', '/workflows')).body;
  expect(Object.keys(plain).sort()).toEqual([
    'app',
    'backoff',
    'maxAttempts',
    'name',
    'onFailure',
    'registeredAt',
    'scheduled',
    'updatedAt',
    'version',
  ]);
  expect(plain).toMatchObject({ name: 'plain', maxAttempts: 1, backoff: 'exponential', scheduled: false });
  expect(ship).toMatchObject({
    name: 'ship',
    maxAttempts: 3,
    backoff: 'linear',
    triggers: [{ event: 'order.*', if: 'data.total > 10' }, { cron: '0 9 * * *' }],
    scheduled: true,
    schedules: [{ cron: '0 9 * * *', nextFireAt: expect.any(String), isStale: false }],
    flowControl: { concurrency: { limit: 2, key: 'customer' } },
    steps: [{ name: 'pack', hidden: true }],
    ...limits,
  });
  expect(Object.keys(ship.flowControl)).toEqual(['concurrency']);
});

test('GET /apps and GET /runners answer what registered', async () => {
  await rest.call('POST', '/register', registration);
  expect((await rest.call('GET', '/apps')).body).toEqual([{ name: 'shop', createdAt: expect.any(String) }]);
  const runner = {
    runnerId: 'r1',
    app: 'shop',
    runtime: 'node',
    version: '1.2.3',
    live: true,
    lastSeenAt: expect.any(String),
  };
  expect((await rest.call('GET', '/runners?app=shop')).body).toEqual([expect.objectContaining(runner)]);
  expect((await rest.call('GET', '/runners?app=other')).body).toEqual([]);
});

test('health needs no key: live answers without the database, ready with it', async () => {
  for (const path of ['/health/live', '/health/ready'])
    expect(await rest.call('GET', path, undefined, { key: null })).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
});

test('a database without this build’s migrations is not ready', async () => {
  await rest.engine.db.query(`update _prisma_migrations set migration_name = migration_name || '-old'`);
  expect(await rest.call('GET', '/health/ready', undefined, { key: null })).toMatchObject({
    status: 503,
    body: { error: 'migrations are pending' },
  });
  await rest.engine.db.query(`update _prisma_migrations set migration_name = replace(migration_name, '-old', '')`);
});

test('metrics are for secret and operator keys', async () => {
  expect((await rest.call('GET', '/metrics', undefined, { key: null })).status).toBe(401);
  expect((await rest.call('GET', '/metrics', undefined, { key: rest.keys.public })).status).toBe(403);
  const headers = { 'x-service-project': rest.projectId };
  for (const projectId of [undefined, rest.projectId]) {
    const { token: key } = await createApiKey(rest.engine, { projectId, name: 'console', kind: 'platform' });
    expect(await rest.call('GET', '/metrics', undefined, { key, headers })).toMatchObject({
      status: 403,
      body: { error: 'a secret key or the operator key is required' },
    });
  }
  await rest.call('GET', '/runs');
  for (const key of [rest.keys.secret, rest.keys.operator]) {
    const { status, text } = await rest.call('GET', '/metrics', undefined, { key });
    expect(status).toBe(200);
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).toMatch(/holdfast_http_request_seconds_count\{method="GET",route="\/runs",status="200"\} \d/);
    expect(text).toContain('holdfast_sse_streams 0');
    expect(text).toContain('# TYPE holdfast_work_runs gauge');
  }
});

test('GET /openapi.json answers the description of every route, as it is committed', async () => {
  const { status, text } = await rest.call('GET', '/openapi.json', undefined, { key: null });
  expect(status).toBe(200);
  expect(text).toBe(openApiText(schema, routes));
});

test('an unexpected fault answers internal error, is logged with its cause, and nothing of it leaks', async () => {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  rest.engine.log = pino({ level: 'error' }, stream);
  await rest.engine.db.query('alter table app rename to app_gone');
  const { status, text, headers } = await rest.call('GET', '/apps');
  await rest.engine.db.query('alter table app_gone rename to app');
  expect({ status, text }).toEqual({ status: 500, text: '{"error":"internal error"}' });
  const logged = lines.map((line) => JSON.parse(line)).find((line) => line.msg === 'request failed');
  expect(logged).toMatchObject({ requestId: headers.get('x-request-id'), method: 'GET', route: '/apps' });
  expect(JSON.stringify(logged.err)).toContain('app');
  expect((await rest.call('GET', '/apps')).status).toBe(200);
});

test('handlers of other paths can be added behind REST; their faults are masked, too', async () => {
  const extended = await startRest({
    rest: {
      extend(app) {
        app.get('/page', (_request, response) => void response.send('a page'));
        app.get('/broken', () => {
          throw new Error('a secret');
        });
      },
    },
  });
  const call = (path: string) => extended.call('GET', path, undefined, { key: null });
  expect(await call('/page')).toMatchObject({ status: 200, text: 'a page' });
  expect(await call('/broken')).toMatchObject({ status: 500, text: '{"error":"internal error"}' });
  expect(await call('/neither')).toMatchObject({ status: 404, body: { error: 'not found' } });
  await extended.close();
});
