import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { projectRoot } from '../support/build.ts';
import { createEmptyDatabase } from '../support/database.ts';
import type { ServiceProcess } from '../support/serviceProcess.ts';
import { get, listens, useServices } from '../support/services.ts';

describe('the service', () => {
  // One data directory for all cases: each new one costs the creation of a cluster.
  // As in use: other tests start it from a bundle.
  const services = useServices({ isShared: true, build: projectRoot });
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await services.start();
  });

  test('starts with nothing set: embedded database, default project, keys for its owner only', async () => {
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

  test('says what to do when its port is in use, and leaves the other service alone', async () => {
    const port = new URL(service.baseUrl).port;
    const second = await services.run({ env: { PORT: port } });
    expect(await second.exit).toBe(1);
    expect(second.output.log).toContain(`port ${port} of 127.0.0.1 is in use`);
    expect((await get(service, '/health/ready')).status).toBe(200);
  });

  test('stops on SIGTERM, its database too, and comes back with the same keys and data', async () => {
    const first = service;
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
    service = second;
    expect(second.keys).toEqual({ ...first.keys, baseUrl: second.baseUrl });
    const { eventId } = await event.json();
    expect((await get(second, `/events/${eventId}`)).status).toBe(200);
  });

  test('does not serve keys that a damaged file may hide', async () => {
    await service.end();
    await writeFile(join(services.dataDir, 'keys.json'), '{"operatorKey":');
    const second = await services.run({});
    expect(await second.exit).toBe(1);
    expect(second.output.log).toContain('keys.json is damaged');
  });
});

describe('the service', () => {
  const services = useServices();

  test('does not start in production without a database and an operator key', async () => {
    const service = await services.run({ env: { NODE_ENV: 'production' } });
    expect(await service.exit).toBe(1);
    expect(service.output.log).toContain('DATABASE_URL: must be set when NODE_ENV is production');
    expect(service.output.log).toContain('OPERATOR_KEY: must be set when NODE_ENV is production');
  });

  test('says that it cannot reach its database', async () => {
    const service = await services.run({ env: { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nothing' } });
    expect(await service.exit).toBe(1);
    expect(service.output.log).toContain('cannot use the database');
    expect(service.output.log).toContain('Check DATABASE_URL');
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
  });
});
