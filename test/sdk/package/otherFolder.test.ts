import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Holdfast } from '../../../sdk/src/index.ts';
import { type Service, startService } from '../../../src/service.ts';
import { loadSettings } from '../../../src/settings.ts';
import { projectRoot } from '../../support/build.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { call } from './packed.ts';

/** Installations and processes take long on a busy machine. */
const patienceMs = 240_000;

/** A program of a user, whose second version has another result and a further workflow. */
const worker = (version: string): string => `
import { Holdfast } from '@holdfast/sdk';
const hf = new Holdfast({ app: 'elsewhere' });
hf.workflow({ id: 'patient' }, async ({ step }) => {
  const pid = await step.run('once', () => process.pid);
  await step.waitForEvent('go', { event: 'go' });
  return { pid, version: '${version}' };
});
hf.workflow({ id: 'of ${version}' }, () => 1);
hf.connect({ runner: 'worker' });
`;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

describe('the SDK in another folder', { timeout: patienceMs }, () => {
  let database: TestDatabase;
  let home: string;
  let service: Service;
  let hf: Holdfast;
  let env: Record<string, string | undefined>;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'holdfast elsewhere '));
    database = await createTestDatabase();
    const settings = { DATABASE_URL: database.url, DATA_DIR: join(home, '.holdfast'), PORT: '0' };
    service = await startService(
      loadSettings({ ...settings, ALLOW_UNSAFE_DATABASE: 'true' }),
      pino({ level: 'silent' }),
    );
    const { secretKey } = JSON.parse(await readFile(service.keysFile ?? '', 'utf8'));
    env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      HOLDFAST_URL: service.baseUrl,
      HOLDFAST_API_KEY: secretKey,
    };
    hf = new Holdfast({ baseUrl: service.baseUrl, apiKey: secretKey, app: 'elsewhere' });
  });
  afterAll(async () => {
    await Promise.all(children.map(end));
    await service?.stop();
    await database?.drop();
    await rm(home, { recursive: true, force: true });
  });

  /** A new folder beside the service's data, with the SDK installed by commands of the page. */
  async function install(name: string, ...commands: string[]): Promise<string> {
    const folder = join(home, name);
    await mkdir(folder);
    await writeFile(join(folder, 'package.json'), '{"type": "module", "private": true}');
    for (const command of commands) {
      const line = command.replaceAll('../holdfast', projectRoot);
      const npmEnv = { ...env, npm_config_prefer_offline: 'true', npm_config_audit: 'false' };
      const { code, output } = await call('sh', ['-c', line], { cwd: folder, env: npmEnv });
      expect(code, `${command}: ${output}`).toBe(0);
    }
    return folder;
  }

  function start(folder: string, ...args: string[]): { child: ChildProcess; output: () => string } {
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    return { child, output: () => output };
  }

  it('is installed by the commands of the page, and runs the first workflow of README', async () => {
    const page = await readFile(join(projectRoot, 'docs/sdk.md'), 'utf8');
    const commands = [
      'npm install ../holdfast/sdk',
      'npm pack ../holdfast/sdk',
      'npm install ./holdfast-sdk-0.1.0.tgz',
    ];
    for (const command of commands) expect(page).toContain(`\`${command}\``);
    const [linkIt = '', ...packIt] = commands;
    const readme = await readFile(join(projectRoot, 'README.md'), 'utf8');
    const [, hello = ''] = /```js\n(.*?)```/s.exec(readme) ?? [];
    for (const folder of [await install('linked', linkIt), await install('packed', ...packIt)]) {
      await writeFile(join(folder, 'hello.mjs'), hello.replace("'.holdfast/", "'../.holdfast/"));
      const { child, output } = start(folder, 'hello.mjs');
      await expect.poll(output, { timeout: patienceMs }).toContain('Hello Ada');
      await end(child);
    }
  });

  it('goes on with an unfinished run after each change of its file, under node --watch', async () => {
    const folder = await install('watched', 'npm install ../holdfast/sdk');
    const file = join(folder, 'worker.js');
    await writeFile(file, worker('first'));
    start(folder, '--watch', 'worker.js');
    await untilServed('of first');
    const { runId = '' } = await hf.workflows.trigger({ app: 'elsewhere', name: 'patient' });
    const waitingFor = async (): Promise<string | undefined> => (await hf.runs.get(runId)).waitingFor?.kind;
    await expect.poll(waitingFor, { timeout: patienceMs }).toBe('event');

    await writeFile(file, worker('second'));
    await untilServed('of second');
    await hf.events.send({ name: 'go' });
    const { result } = await hf.runs.wait(runId, { timeoutMs: patienceMs });
    expect(result).toEqual({ pid: expect.any(Number), version: 'second' });
    const steps = await hf.runs.steps(runId);
    expect(steps.filter(({ name }) => name === 'once')).toHaveLength(1);
  });

  async function untilServed(workflow: string): Promise<void> {
    const names = async (): Promise<string[]> => {
      const headers = { authorization: `Bearer ${env['HOLDFAST_API_KEY']}` };
      const answer = await fetch(`${service.baseUrl}/workflows`, { headers });
      const listed: { name: string; retiredAt?: string }[] = await answer.json();
      return listed.filter(({ retiredAt }) => retiredAt === undefined).map(({ name }) => name);
    };
    await expect.poll(names, { timeout: patienceMs }).toContain(workflow);
  }
});
