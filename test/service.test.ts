import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { explain } from '../src/explain.ts';
import { type Service, startService } from '../src/service.ts';
import { loadSettings } from '../src/settings.ts';
import { createTestDatabase, type TestDatabase } from './support/database.ts';

describe('the service on a database of its own choice', () => {
  const running: Service[] = [];
  let database: TestDatabase;
  let dataDir: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'holdfast service '));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.stop()));
    await rm(dataDir, { recursive: true, force: true });
    await database.drop();
  });

  /** Starts a service as a process would with this environment. */
  async function start(env: Record<string, string>): Promise<Service> {
    const settings = loadSettings({ DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: '0', ...env });
    const service = await startService(settings, pino({ level: 'silent' }));
    running.push(service);
    return service;
  }
  const unsafe = { ALLOW_UNSAFE_DATABASE: 'true' };
  const readKeys = async () => JSON.parse(await readFile(join(dataDir, 'keys.json'), 'utf8'));

  test('refuses one that may lose what it committed', async () => {
    const reason = await start({}).catch(explain);
    expect(reason).toContain('fsync is off');
  });

  test('serves by its roles: a scheduler answers health checks only', async () => {
    const { baseUrl } = await start({ ...unsafe, ROLES: 'scheduler' });
    const { publicKey } = await readKeys();
    const get = (path: string) => fetch(baseUrl + path, { headers: { authorization: `Bearer ${publicKey}` } });
    expect((await get('/health/ready')).status).toBe(200);
    expect((await get('/runs')).status).toBe(404);
    expect((await get('/graphql?query={viewer{kind}}')).status).toBe(404);
  });

  test('serves the console with the API, unless CONSOLE is off', async () => {
    const on = await start(unsafe);
    const [off, without] = [await start({ ...unsafe, CONSOLE: 'off' }), await start({ ...unsafe, ROLES: 'scheduler' })];
    expect(on.consoleUrl).toBe(`${on.baseUrl}/console`);
    const page = await fetch(`${on.consoleUrl}/p/default/runs`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect([off.consoleUrl, without.consoleUrl]).toEqual([undefined, undefined]);
    for (const { baseUrl } of [off, without])
      for (const path of ['/console', '/console/', '/console/assets/x.js'])
        expect((await fetch(baseUrl + path)).status, path).toBe(404);
  });

  test('writes no keys in production', async () => {
    const operatorKey = 'operator-key-of-our-own';
    const { baseUrl } = await start({ ...unsafe, NODE_ENV: 'production', OPERATOR_KEY: operatorKey });
    await expect(stat(join(dataDir, 'keys.json'))).rejects.toThrow('ENOENT');
    const answer = await fetch(`${baseUrl}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ viewer { kind } }' }),
    });
    expect(await answer.json()).toEqual({ data: { viewer: { kind: 'OPERATOR' } } });
  });

  test('a process without the API leaves keys.json to name the one that has it', async () => {
    const api = await start({ ...unsafe, ROLES: 'api' });
    const { secretKey: secretOfApi } = await readKeys();
    await start({ ...unsafe, ROLES: 'dispatcher,scheduler' });
    const { baseUrl, secretKey } = await readKeys();
    expect({ baseUrl, secretKey }).toEqual({ baseUrl: api.baseUrl, secretKey: secretOfApi });
    const answer = await fetch(`${baseUrl}/runs`, { headers: { authorization: `Bearer ${secretKey}` } });
    expect(answer.status).toBe(200);
  });
});
