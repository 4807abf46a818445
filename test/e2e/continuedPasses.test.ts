import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConnectOptions, Holdfast, serve } from '../../sdk/src/index.ts';
import { toNodeHandler } from '../../sdk/src/serve/node.ts';
import { type Service, startService } from '../../src/service.ts';
import { loadSettings } from '../../src/settings.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { keptOpen } from '../support/keptOpen.ts';

let database: TestDatabase;
let dataDir: string;
let service: Service;
let apiKey: string;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'holdfast continued '));
  const settings = loadSettings({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: '0',
    ALLOW_UNSAFE_DATABASE: 'true',
    ALLOW_PRIVATE_TARGETS: 'true',
  });
  service = await startService(settings, pino({ level: process.env['TEST_LOG'] ?? 'silent' }));
  apiKey = JSON.parse(await readFile(service.keysFile ?? '', 'utf8')).secretKey;
}, 30_000);

afterAll(async () => {
  for (const close of closers.reverse()) await close();
  await service?.stop();
  await rm(dataDir, { recursive: true, force: true });
  await database?.drop();
});

/** How often each handler was called from its beginning. */
const calls = new Map<string, number>();

/** An app whose workflows use each way on: after a step, a retry, a race, a child, a wait. */
function define(app: string): Holdfast {
  const logger = { info: () => {}, warn: () => {}, error: console.error };
  const hf = new Holdfast({ baseUrl: service.baseUrl, apiKey, app, logger });
  const child = hf.workflow({ id: 'child' }, async ({ event, step }) => step.run('half', () => event.data));
  hf.workflow({ id: 'all', retry: { maxAttempts: 3, initialDelayMs: 1 } }, async ({ step, log, run }) => {
    calls.set(app, (calls.get(app) ?? 0) + 1);
    log.info('begins', { attempt: run.attempt });
    let sum = 0;
    for (let n = 0; n < 5; n += 1) {
      sum += await step.run('add', () => n);
      log.info('went on', { sum });
    }
    const parts = await Promise.all(Array.from({ length: 20 }, (_, n) => step.run(`part ${n}`, () => ({ n }))));
    const flaky = await step.run('flaky', ({ attempt }) => {
      log.warn('tries', { attempt });
      if (attempt < 3) throw new Error('not yet');
      return attempt;
    });
    const raced = await Promise.race([
      step.run('first', () => 'first').then((won) => step.run('then', () => won)),
      step.sleep('nap', 20).then(() => 'nap'),
    ]);
    const [ofChild, sent] = await Promise.all([
      step.runWorkflow('have a child', child, { data: 7 }),
      step.emit('tell', { name: `nobody listens in ${app}`, data: 1 }).then(() => step.run('told', () => true)),
    ]);
    const caught = await step
      .run('refused', { retry: { maxAttempts: 1 } }, () => Promise.reject(new Error('no')))
      .catch((error: Error) => error.message);
    if (run.attempt === 1) throw new Error('the first attempt is lost');
    const last = await step.run('last', () => new Date(0));
    return { sum, parts: parts.length, flaky, raced, ofChild, sent, caught, last };
  });
  return hf;
}

async function connected(app: string, options: ConnectOptions): Promise<Holdfast> {
  const hf = define(app);
  const connection = hf.connect(options);
  closers.push(() => connection.close());
  await connection.ready;
  return hf;
}

/** An app with two runners: one that holds handlers, and one over HTTP that cannot. */
async function overBoth(app: string): Promise<Holdfast> {
  const hf = await connected(app, { maxInFlight: 3 });
  const server: Server = createServer(keptOpen, toNodeHandler(serve(hf)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const registrar = await hf.register({ url, maxInFlight: 3 });
  closers.push(async () => registrar.close());
  return hf;
}

const runs = 8;

/** Everything that runs left behind, without ids and times. */
async function journalsOf(hf: Holdfast): Promise<unknown[]> {
  const started = await Promise.all(Array.from({ length: runs }, () => hf.workflows.trigger({ name: 'all' })));
  return Promise.all(
    started.map(async ({ runId = '' }) => {
      const { status, result, attempt } = await hf.runs.wait(runId, { timeoutMs: 60_000 });
      const { rows } = await database.db.query<{ step: unknown }>({
        text: `select json_build_object('name', name, 'index', index, 'attempt', attempt, 'op', op, 'status', status, 'retry', will_retry,
            'output', case when op in ('Emit') then null else output::json end, 'message', error::json ->> 'message') as step
          from run_step where run_id = $1 order by index, attempt`,
        values: [runId],
      });
      const lines = await database.db.query<{ line: unknown }>({
        text: `select json_build_object('message', payload::json ->> 'message', 'scope', payload::json ->> 'scope', 'fields', payload::json -> 'fields',
            'attempt', payload::json ->> 'attempt', 'index', payload::json ->> 'index') as line
          from run_frame where run_id = $1 and kind = 'log' order by seq`,
        values: [runId],
      });
      return {
        status,
        result,
        attempt,
        steps: rows.map(({ step }) => step),
        lines: lines.rows.map(({ line }) => line),
      };
    }),
  );
}

describe('a run', () => {
  it('H1: leaves the same steps, lines and result, with held handlers, without, and with either over both transports', async () => {
    const replayed = await journalsOf(await connected('replayed', { maxHeld: 0 }));
    const [one] = replayed;
    expect(one).toMatchObject({ status: 'succeeded', attempt: 2, result: { sum: 10, flaky: 3, caught: 'no' } });
    for (const each of replayed) expect(each).toEqual(one);
    for (const each of await journalsOf(await connected('continued', {}))) expect(each).toEqual(one);
    for (const each of await journalsOf(await connected('crowded', { maxHeld: 2, heldMs: 2 })))
      expect(each).toEqual(one);
    for (const each of await journalsOf(await overBoth('both'))) expect(each).toEqual(one);
    const [full = 0, held = 0] = ['replayed', 'continued'].map((app) => calls.get(app));
    // After a retry, a sleep or a failure, a replay follows in any case.
    expect(held).toBeLessThan(full * 0.8);
  }, 180_000);
});
