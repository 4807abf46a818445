import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEmptyDatabase } from '../support/database.ts';
import { get, listens, useServices } from '../support/services.ts';

describe('the service', () => {
  const services = useServices();

  test('stops in order when its terminal closes, however often it is told', async () => {
    const service = await services.start();
    const port = await services.postgresPort();
    service.child.kill('SIGHUP');
    service.child.stderr.once('data', () => service.child.kill('SIGHUP'));
    expect(await service.exit).toBe(0);
    expect(service.output.log).toContain('stopped');
    expect(await listens(port)).toBe(false);
  });

  test('comes back after SIGKILL, on the database that it left running', async () => {
    const first = await services.start();
    await first.end('SIGKILL');
    expect(await listens(await services.postgresPort())).toBe(true);
    const second = await services.start();
    expect(second.keys.secretKey).toBe(first.keys.secretKey);
    expect(second.output.log).toContain('adopted');
  });

  test('ends at once on a second signal', async () => {
    const service = await services.start();
    service.child.kill('SIGTERM');
    service.child.kill('SIGINT');
    // Which of the two arrives first is up to the system; a stop in order would answer 0.
    expect([130, 143]).toContain(await service.exit);
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
