import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEmptyDatabase } from '../support/database.ts';
import { get, listens, useServices } from '../support/services.ts';

describe('the service', () => {
  const services = useServices();

  test('starts with nothing set: embedded database, default project, keys for its owner only', async () => {
    const service = await services.start();
    expect(service.output.out).toMatch(/^Holdfast is ready\.\n {2}API +http:\/\/127\.0\.0\.1:\d+\n {2}Console +http/);
    expect(service.output.out).toContain(join(services.dataDir, 'keys.json'));
    expect((await stat(join(services.dataDir, 'keys.json'))).mode & 0o777).toBe(0o600);
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
    const first = await services.start();
    const event = await fetch(`${first.baseUrl}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${first.keys.secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'kept' }),
    });
    expect(event.status).toBe(202);
    const port = await services.postgresPort();
    expect(await listens(port)).toBe(true);
    expect(await first.end('SIGTERM')).toBe(0);
    expect(await listens(port)).toBe(false);
    const second = await services.start();
    expect(second.keys).toEqual({ ...first.keys, baseUrl: second.baseUrl });
    const { eventId } = await event.json();
    expect((await get(second, `/events/${eventId}`)).status).toBe(200);
  });

  test('does not start in production without a database and an operator key', async () => {
    const service = services.run({ env: { NODE_ENV: 'production' } });
    expect(await service.exit).toBe(1);
    expect(service.output.log).toContain('DATABASE_URL: must be set when NODE_ENV is production');
    expect(service.output.log).toContain('OPERATOR_KEY: must be set when NODE_ENV is production');
  });

  test('says that it cannot reach its database', async () => {
    const service = services.run({ env: { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nothing' } });
    expect(await service.exit).toBe(1);
    expect(service.output.log).toContain('cannot use the database');
    expect(service.output.log).toContain('Check DATABASE_URL');
  });

  test('says what to do when its port is in use, and leaves the other service alone', async () => {
    const first = await services.start();
    const port = new URL(first.baseUrl).port;
    const second = services.run({ env: { PORT: port } });
    expect(await second.exit).toBe(1);
    expect(second.output.log).toContain(`port ${port} of 127.0.0.1 is in use`);
    expect((await get(first, '/health/ready')).status).toBe(200);
  });

  test('does not serve keys that a damaged file may hide', async () => {
    const first = await services.start();
    await first.end();
    await writeFile(join(services.dataDir, 'keys.json'), '{"operatorKey":');
    const second = services.run({});
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
      await services.end();
      await database.drop();
    });

    test('refuses one that may lose what it committed', async () => {
      const service = services.run({ env: { DATABASE_URL: database.url } });
      expect(await service.exit).toBe(1);
      expect(service.output.log).toContain('fsync is off');
    });

    test('serves by its roles: a scheduler answers health checks only', async () => {
      const scheduler = await services.start({ ...env, ROLES: 'scheduler' });
      expect((await get(scheduler, '/health/ready')).status).toBe(200);
      expect((await get(scheduler, '/runs')).status).toBe(404);
      expect((await get(scheduler, '/graphql?query={viewer{kind}}')).status).toBe(404);
    });

    test('writes no keys in production', async () => {
      const operatorKey = 'operator-key-of-our-own';
      const service = services.run({ env: { ...env, NODE_ENV: 'production', OPERATOR_KEY: operatorKey } });
      await service.ready;
      await expect(stat(join(services.dataDir, 'keys.json'))).rejects.toThrow('ENOENT');
      const baseUrl = /API\s+(\S+)/.exec(service.output.out)?.[1];
      const answer = await fetch(`${baseUrl}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ viewer { kind } }' }),
      });
      expect(await answer.json()).toEqual({ data: { viewer: { kind: 'OPERATOR' } } });
    });

    test('may be four processes that start at once, with the same keys', async () => {
      const four = await Promise.all([
        services.start(env),
        services.start(env),
        services.start(env),
        services.start(env),
      ]);
      expect(new Set(four.map(({ keys }) => keys.secretKey)).size).toBe(1);
      for (const service of four) expect((await get(service, '/runs')).status).toBe(200);
    });

    test('a process without the API leaves keys.json to name the one that has it', async () => {
      const api = await services.start({ ...env, ROLES: 'api' });
      await services.start({ ...env, ROLES: 'dispatcher,scheduler' });
      const { baseUrl, secretKey } = JSON.parse(await readFile(join(services.dataDir, 'keys.json'), 'utf8'));
      expect({ baseUrl, secretKey }).toEqual({ baseUrl: api.baseUrl, secretKey: api.keys.secretKey });
      expect((await get(api, '/runs', secretKey)).status).toBe(200);
    });
  });
});
