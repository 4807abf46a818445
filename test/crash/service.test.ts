import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Holdfast } from '@holdfast/sdk';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEngine } from '../../src/engine/assembly/createEngine.ts';
import { freePort } from '../../src/engine/db/embedded/ports.ts';
import { openDatabase } from '../../src/engine/db/pool/open.ts';
import { runDoctor } from '../../src/engine/doctor/index.ts';
import { type ServiceProcess, startServiceProcess } from '../support/serviceProcess.ts';

const runCount = 200;
const stepNames = ['first', 'second', 'third'] as const;

/** What the runner saw, in order of time: the ledger that no crash of the service can touch. */
interface Ledger {
  /** Step bodies that were entered, as `run/step`. */
  entered: string[];
  /** Steps whose committed result a later pass received. */
  acknowledged: Set<string>;
  /** Bodies entered although their result had been received before. */
  repeated: string[];
}

let dataDir: string;
let port: number;
let service: ServiceProcess;
const ledger: Ledger = { entered: [], acknowledged: new Set(), repeated: [] };

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'holdfast-crash-'));
  port = await freePort(undefined);
  Object.assign(ledger, { entered: [], acknowledged: new Set(), repeated: [] });
  service = await startServiceProcess({ dataDir, env: { PORT: String(port) } });
});

afterEach(async () => {
  await service.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

describe('200 runs under way', () => {
  test('finish though the service is killed again and again, each step recorded once, none repeated', async () => {
    await underFire(async () => {
      await service.end('SIGKILL');
      service = await startServiceProcess({ dataDir, env: { PORT: String(port) } });
    });
  }, 180_000);

  test('finish though PostgreSQL is killed again and again, each step recorded once, none repeated', async () => {
    await underFire(async () => {
      const [pid] = (await readFile(join(dataDir, 'pg', 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGKILL');
      await until(async () => (await fetch(`${service.baseUrl}/health/ready`)).status === 200);
    });
    expect(service.child.exitCode).toBeNull();
  }, 180_000);
});

/**
 * Starts the runs, strikes while they are under way, waits for all of them and checks what is left
 * behind.
 */
async function underFire(strike: () => Promise<void>): Promise<void> {
  const hf = new Holdfast({ baseUrl: service.baseUrl, apiKey: service.keys.secretKey, app: 'crash' });
  hf.workflow({ id: 'flow', retry: { maxAttempts: 3 } }, async ({ event, step }) => {
    const { n } = event.data as { n: number };
    for (const name of stepNames) {
      await step.run(name, () => enter(`${n}/${name}`));
      ledger.acknowledged.add(`${n}/${name}`);
      await step.sleep(`nap after ${name}`, 200 + (n % 7) * 100);
    }
    return n;
  });
  const connection = hf.connect({ runner: 'crash-runner' });
  try {
    await connection.ready;
    await startAll(hf);
    let strikes = 0;
    while ((await unfinished()) > 0) {
      if (strikes++ >= 40) throw new Error(`unfinished after ${strikes} strikes: ${await describeUnfinished()}`);
      if (strikes <= 6) await strike();
      await pause(700);
    }
    expect(strikes).toBeGreaterThan(2);
    await check();
  } finally {
    await connection.close();
  }
}

async function enter(step: string): Promise<string> {
  if (ledger.acknowledged.has(step)) ledger.repeated.push(step);
  ledger.entered.push(step);
  return step;
}

async function startAll(hf: Holdfast): Promise<void> {
  const flow = { app: 'crash', name: 'flow' };
  const start = (n: number) => hf.workflows.trigger(flow, { input: { n }, dedupeId: `run-${n}` });
  await Promise.all(Array.from({ length: runCount }, (_, n) => start(n)));
}

/** Asks the database: the service may be down. */
async function unfinished(): Promise<number> {
  try {
    return await withClient(async (client) => {
      const { rows } = await client.query('select count(*)::int as n from run_work');
      return rows[0]?.n ?? runCount;
    });
  } catch {
    return runCount;
  }
}

/** Where the runs that do not finish are stuck. */
const describeUnfinished = (): Promise<string> =>
  withClient(async (client) => {
    const { rows } = await client.query(`
      select w.*, r.status, (select json_agg(s) from run_step s where s.run_id = w.run_id) as steps,
        (select json_agg(d) from dispatcher d) as dispatchers
      from run_work w join run r on r.id = w.run_id limit 3`);
    return JSON.stringify(rows, null, 1);
  });

async function check(): Promise<void> {
  await withClient(async (client) => {
    const runs = await client.query('select status, count(*)::int as n from run group by status');
    expect(runs.rows).toEqual([{ status: 'succeeded', n: runCount }]);
    const steps = await client.query(`
      select count(*)::int as rows, count(distinct (run_id, name))::int as steps from run_step where status = 'succeeded'`);
    expect(steps.rows).toEqual([{ rows: runCount * 6, steps: runCount * 6 }]);
  });
  expect(ledger.repeated).toEqual([]);
  expect(new Set(ledger.entered).size).toBe(runCount * stepNames.length);
  const db = await openDatabase({ url: await databaseUrl() });
  try {
    const engine = createEngine({
      db,
      log: pino({ level: 'silent' }),
      settings: { operatorKey: service.keys.operatorKey },
    });
    expect((await runDoctor(engine)).checks.flatMap((each) => each.violations)).toEqual([]);
  } finally {
    await db.close();
  }
}

/** The address of the embedded PostgreSQL of the service. */
async function databaseUrl(): Promise<string> {
  const { port: databasePort, password } = JSON.parse(await readFile(join(dataDir, 'pg', 'holdfast.json'), 'utf8'));
  return `postgres://postgres:${password}@127.0.0.1:${databasePort}/holdfast`;
}

async function withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: await databaseUrl() });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < 600; look += 1) {
    if (await condition().catch(() => false)) return;
    await pause(50);
  }
  throw new Error('waited too long');
}

// Real processes die and come back in their own time: there is no event to wait for.
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
