import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmbedded } from '../../src/engine/db/embedded/index.ts';
import { cli } from './cli.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'holdfast-cli-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

it('the doctor makes no database where there is none', async () => {
  const { code, err } = await cli({ DATA_DIR: dataDir }, 'doctor');
  expect(code).toBe(1);
  expect(err).toContain(`there is no database in ${dataDir} yet`);
});

it.each([['list'], ['set', 'openai', '--key-env', 'A_KEY'], ['remove', 'openai'], ['check', 'openai']])(
  'providers %s makes no database where there is none',
  async (...args) => {
    const { code, err } = await cli(
      { DATA_DIR: dataDir, A_KEY: 'sk-x', OPERATOR_KEY: 'x'.repeat(32) },
      'providers',
      ...args,
    );
    expect(code).toBe(1);
    expect(err).toContain(
      `there is no database in ${dataDir} yet: start the service first, or set DATABASE_URL or DATA_DIR`,
    );
    expect(await readdir(dataDir)).toEqual([]);
  },
);

it('the embedded database is used whether the service runs or not', async () => {
  const env = { DATA_DIR: dataDir };
  const created = await cli(env, 'keys', 'create', '--name', 'before the first start', '--json');
  expect(created).toMatchObject({ code: 0, err: '' });

  const running = await startEmbedded({ directory: join(dataDir, 'pg') });
  expect(running.isAdopted).toBe(false);
  const service = new pg.Client({ connectionString: running.url, application_name: 'holdfast' });
  await service.connect();
  try {
    const listed = await cli(env, 'keys', 'list', '--json');
    expect(JSON.parse(listed.out)).toMatchObject([{ name: 'before the first start' }]);
    expect((await service.query('select 1 as alive')).rows).toEqual([{ alive: 1 }]);
  } finally {
    await service.end();
    await running.stop();
  }
}, 60_000);
