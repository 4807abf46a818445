import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEmptyDatabase } from '../support/database.ts';
import {
  runServiceProcess,
  type ServiceProcess,
  type ServiceProcessOptions,
  startServiceProcess,
} from '../support/serviceProcess.ts';

describe('the service', () => {
  let dataDir: string;
  const running: Pick<ServiceProcess, 'end'>[] = [];

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'holdfast e2e '));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.end()));
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = async (env: Record<string, string> = {}): Promise<ServiceProcess> => {
    const service = await startServiceProcess({ dataDir, env });
    running.push(service);
    return service;
  };
  const run = (options: Partial<ServiceProcessOptions>): ReturnType<typeof runServiceProcess> => {
    const service = runServiceProcess({ dataDir, ...options });
    running.push(service);
    return service;
  };
  const get = (service: ServiceProcess, path: string, key = service.keys.publicKey): Promise<Response> =>
    fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${key}` } });
  const postgresPort = async (): Promise<number> =>
    JSON.parse(await readFile(join(dataDir, 'pg', 'holdfast.json'), 'utf8')).port;
  const listens = async (port: number): Promise<boolean> => {
    const socket = connect(port, '127.0.0.1');
    const [event] = await Promise.race([
      once(socket, 'connect').then(() => ['connect']),
      once(socket, 'error').then(() => ['error']),
    ]).catch(() => ['error']);
    socket.destroy();
    return event === 'connect';
  };

  test('starts with nothing set: embedded database, default project, keys for its owner only', async () => {
    const service = await start();
    expect(service.output.out).toMatch(/^Holdfast is ready\.\n {2}API +http:\/\/127\.0\.0\.1:\d+\n {2}Console +http/);
    expect(service.output.out).toContain(join(dataDir, 'keys.json'));
    expect((await stat(join(dataDir, 'keys.json'))).mode & 0o777).toBe(0o600);
    expect(service.keys).toEqual({
      baseUrl: service.baseUrl,
      operatorKey: expect.stringMatching(/^hf_op_/),
      projectId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      secretKey: expect.stringMatching(/^hf_sk_/),
      publicKey: expect.stringMatching(/^hf_pk_/),
    });
    expect((await get(service, '/health/live')).status).toBe(200);
    expect((await get(service, '/health/ready')).status).toBe(200);
    expect((await get(service, '/runs')).status).toBe(200);
    expect((await get(service, '/runs', 'hf_pk_wrong')).status).toBe(401);
    expect((await get(service, '/nothing')).status).toBe(404);
    const query = await get(service, `/graphql?query=${encodeURIComponent('{ viewer { kind } }')}`);
    expect(await query.json()).toEqual({ data: { viewer: expect.objectContaining({ kind: 'PUBLIC' }) } });
  });

  test('stops on SIGTERM, its database too, and comes back with the same keys and data', async () => {
    const first = await start();
    const event = await fetch(`${first.baseUrl}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${first.keys.secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'kept' }),
    });
    expect(event.status).toBe(202);
    const port = await postgresPort();
    expect(await listens(port)).toBe(true);
    expect(await first.end('SIGTERM')).toBe(0);
    expect(await listens(port)).toBe(false);
    const second = await start();
    expect(second.keys).toEqual({ ...first.keys, baseUrl: second.baseUrl });
    const { eventId } = await event.json();
    expect((await get(second, `/events/${eventId}`)).status).toBe(200);
  });

  test('stops in order when its terminal closes, however often it is told', async () => {
    const service = await start();
    const port = await postgresPort();
    service.child.kill('SIGHUP');
    service.child.stderr.once('data', () => service.child.kill('SIGHUP'));
    expect(await service.exit).toBe(0);
    expect(service.output.log).toContain('stopped');
    expect(await listens(port)).toBe(false);
  });

  test('comes back after SIGKILL, on the database that it left running', async () => {
    const first = await start();
    await first.end('SIGKILL');
    expect(await listens(await postgresPort())).toBe(true);
    const second = await start();
    expect(second.keys.secretKey).toBe(first.keys.secretKey);
    expect(second.output.log).toContain('adopted');
  });

  test('ends at once on a second signal', async () => {
    const service = await start();
    service.child.kill('SIGTERM');
    service.child.kill('SIGINT');
    // Which of the two arrives first is up to the system; a stop in order would answer 0.
    expect([130, 143]).toContain(await service.exit);
  });

  test('does not start in production without a database and an operator key', async () => {
    const service = run({ env: { NODE_ENV: 'production' } });
    expect(await service.exit).toBe(1);
    expect(service.output.log).toContain('DATABASE_URL: must be set when NODE_ENV is production');
    expect(service.output.log).toContain('OPERATOR_KEY: must be set when NODE_ENV is production');
  });

  test('says what to do when its port is in use, and leaves the other service alone', async () => {
    const first = await start();
    const port = new URL(first.baseUrl).port;
    const second = run({ env: { PORT: port } });
    expect(await second.exit).toBe(1);
    expect(second.output.log).toContain(`port ${port} of 127.0.0.1 is in use`);
    expect((await get(first, '/health/ready')).status).toBe(200);
  });

  test('says that it cannot reach its database', async () => {
    const service = run({ env: { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nothing' } });
    expect(await service.exit).toBe(1);
    expect(service.output.log).toContain('cannot use the database');
    expect(service.output.log).toContain('Check DATABASE_URL');
  });

  test('does not serve keys that a damaged file may hide', async () => {
    const first = await start();
    await first.end();
    await writeFile(join(dataDir, 'keys.json'), '{"operatorKey":');
    const second = run({});
    expect(await second.exit).toBe(1);
    expect(second.output.log).toContain('keys.json is damaged');
  });

  describe('on a database of its own choice', () => {
    let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
    let env: Record<string, string>;
    beforeEach(async () => {
      database = await createEmptyDatabase();
      env = { DATABASE_URL: database.url, ALLOW_UNSAFE_DATABASE: 'true' };
    });
    afterEach(async () => {
      await Promise.all(running.splice(0).map((service) => service.end()));
      await database.drop();
    });

    test('may be four processes that start at once, with the same keys', async () => {
      const four = await Promise.all([start(env), start(env), start(env), start(env)]);
      expect(new Set(four.map(({ keys }) => keys.secretKey)).size).toBe(1);
      for (const service of four) expect((await get(service, '/runs')).status).toBe(200);
    });

    test('refuses one that may lose what it committed', async () => {
      const service = run({ env: { DATABASE_URL: database.url } });
      expect(await service.exit).toBe(1);
      expect(service.output.log).toContain('fsync is off');
    });

    test('serves by its roles: a scheduler answers those who watch it, and nobody else', async () => {
      const scheduler = await start({ ...env, ROLES: 'scheduler' });
      expect((await get(scheduler, '/health/ready')).status).toBe(200);
      expect((await get(scheduler, '/runs')).status).toBe(404);
      expect((await get(scheduler, '/graphql?query={viewer{kind}}')).status).toBe(404);
    });

    test('a process without the API leaves keys.json to name the one that has it', async () => {
      const api = await start({ ...env, ROLES: 'api' });
      await start({ ...env, ROLES: 'dispatcher,scheduler' });
      const { baseUrl, secretKey } = JSON.parse(await readFile(join(dataDir, 'keys.json'), 'utf8'));
      expect({ baseUrl, secretKey }).toEqual({ baseUrl: api.baseUrl, secretKey: api.keys.secretKey });
      expect((await get(api, '/runs', secretKey)).status).toBe(200);
    });

    test('writes no keys in production', async () => {
      const operatorKey = 'operator-key-of-our-own';
      const service = run({ env: { ...env, NODE_ENV: 'production', OPERATOR_KEY: operatorKey } });
      await service.ready;
      await expect(stat(join(dataDir, 'keys.json'))).rejects.toThrow('ENOENT');
      const baseUrl = /API\s+(\S+)/.exec(service.output.out)?.[1];
      const answer = await fetch(`${baseUrl}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ viewer { kind } }' }),
      });
      expect(await answer.json()).toEqual({ data: { viewer: { kind: 'OPERATOR' } } });
    });
  });
});
