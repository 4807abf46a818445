import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectRoot } from '../support/build.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function holdfast(...args: string[]) {
  const main = join(projectRoot, 'dist/src/cli/main.js');
  const env = { PATH: process.env['PATH'], DATABASE_URL: database.url };
  return spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', cwd: tmpdir(), env });
}

it('is a program of its own: output, errors and exit code', () => {
  const created = holdfast('projects', 'create', 'shop', '--json');
  expect(created).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(created.stdout)).toMatchObject({ project: { name: 'shop' } });
  expect(holdfast('projects', 'create', 'shop')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: 'holdfast: project name already in use\n',
  });
  expect(holdfast('doctor')).toMatchObject({ status: 0, stderr: '' });
}, 60_000);
