import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FlowSite } from '../../e2e/flowSite.ts';
import { projectRoot } from '../../support/build.ts';
import { pythonPrograms } from '../../support/python.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const programs = process.env['SCHEMATHESIS'] === 'true' ? pythonPrograms(join(here, 'requirements.txt')) : undefined;
const examples = process.env['SCHEMATHESIS_EXAMPLES'] ?? '20';
const seed = process.env['SCHEMATHESIS_SEED'] ?? '1';
/** Schemathesis keeps its own files in the folder where it runs. */
const folder = join(projectRoot, '.cache', 'schemathesis', String(process.pid));

describe.runIf(programs !== undefined)('a fuzzer that reads openapi.json', () => {
  let site: FlowSite;
  beforeAll(async () => {
    site = await FlowSite.open({ env: { ALLOW_PRIVATE_TARGETS: 'true' } });
    await fill(site);
    await mkdir(folder, { recursive: true });
  }, 150_000);
  afterAll(async () => {
    await site?.close();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  it('finds no answer that breaks the description, and no request that is treated against it', async () => {
    const { code, output } = await fuzz(site);
    expect(code, output).toBe(0);
    expect(output).toContain('No issues found');
  }, 3_600_000);
});

/** Runs in several statuses, with steps, logs, an approval and deliveries of webhooks. */
async function fill(site: FlowSite): Promise<void> {
  const hf = site.client();
  hf.workflow({ id: 'done' }, async ({ step, log }) => {
    log.info('a line', { of: 'a log' });
    return step.run('work', () => ({ done: true }));
  });
  hf.workflow({ id: 'failing', retry: { maxAttempts: 1 } }, () => {
    throw new Error('refused');
  });
  hf.workflow({ id: 'sleeping', triggers: [{ event: 'sleep' }] }, ({ step }) => step.sleep('night', '30d'));
  hf.workflow({ id: 'asking' }, ({ step }) => step.approval('ask', { tool: 'refund', args: { cents: 1 } }));
  hf.workflow({ id: 'limited', throttle: { limit: 1, perMs: 3_600_000 } }, () => null);
  await site.connect(hf, 'runner');
  const eventKinds = ['run.succeeded', 'step.succeeded'];
  await site.call('POST', '/webhook-endpoints', { url: 'http://127.0.0.1:9/', eventKinds });
  await site.call('POST', '/webhook-sources', { eventName: 'received' });
  for (const name of ['done', 'failing', 'sleeping', 'asking', 'limited', 'done', 'limited'])
    await hf.workflows.trigger({ name }, { tags: { tier: 'gold' }, input: { name } });
  await hf.events.send({ name: 'sleep', data: null, session: 's' });
}

/** Runs all checks. The environment holds the key, so that no list of processes shows it. */
async function fuzz(site: FlowSite): Promise<{ code: number | null; output: string }> {
  const { baseUrl, keys } = site.service();
  const args = ['--config-file', join(here, 'schemathesis.toml'), 'run', `${baseUrl}/openapi.json`, '--no-color'];
  // One worker: Python 3.11 may fail to parse its own code in two threads (gh-106905).
  const bounds = ['--checks', 'all', '--max-examples', examples, '--seed', seed, '--workers', '1'];
  const child = spawn(join(programs ?? '', 'schemathesis'), [...args, ...bounds], {
    cwd: folder,
    env: { ...process.env, HOLDFAST_API_KEY: keys.secretKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
