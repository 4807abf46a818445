import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { runDoctor } from '../../src/engine/doctor/index.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { builtModule, ensureBuilt } from '../support/build.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** Single statements on rows that stand for themselves: whether such a write happened is all there is to it. */
const notTried = [
  'changeProject',
  'closeConnections',
  'deleteExpiredKeys',
  'endApiKey',
  'insertApiKey',
  'pruneAnonymousRunners',
  'putSealedSecrets',
  'touchConnections',
  'touchKeys',
];

const worker = fileURLToPath(new URL('crashWorker.mjs', import.meta.url));

interface Ended {
  signal: string | null;
  code: number | null;
  out: string;
  err: string;
}

/** Runs the worker to its end, be it natural or not. */
async function runWorker(url: string, env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [worker], {
    env: { PATH: process.env['PATH'], DATABASE_URL: url, DIST: builtModule('src/'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    written.out += text;
  });
  child.stderr.on('data', (text) => {
    written.err += text;
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, ...written };
}

/** Everything happened, once. */
async function check({ db }: TestDatabase): Promise<void> {
  const { rows: statuses } = await db.query(
    'select workflow, status, count(*)::int as n from run group by 1, 2 order by 1, 2',
  );
  expect(statuses).toEqual([
    { workflow: 'doomed', status: 'cancelled', n: 1 },
    { workflow: 'flow', status: 'succeeded', n: 4 },
    { workflow: 'held', status: 'succeeded', n: 2 },
    { workflow: 'plain', status: 'succeeded', n: 1 },
    { workflow: 'second', status: 'succeeded', n: 4 },
    { workflow: 'signed', status: 'succeeded', n: 1 },
  ]);
  const { rows: steps } = await db.query(`
    select name, count(*)::int as n, count(distinct run_id)::int as runs from run_step
    where status = 'succeeded' group by 1 order by 1`);
  const each = (names: string[], n: number) => names.map((name) => ({ name, n, runs: n }));
  expect(steps.filter(({ n }) => n > 1)).toEqual(each(['a', 'go', 'nap', 'tell'], 4));
  expect(steps.filter(({ n }) => n === 1)).toEqual(each(['late', 'one', 'rate', 'sign', 'three', 'two'], 1));
  const { rows: decided } = await db.query('select step, status, decided_by from approval order by step');
  expect(decided).toEqual([
    { step: 'late', status: 'denied', decided_by: 'system:timeout' },
    { step: 'sign', status: 'approved', decided_by: 'test' },
  ]);
  const { rows: emitted } = await db.query("select count(*)::int as n from event where name = 'second'");
  expect(emitted).toEqual([{ n: 4 }]);
  const { rows: spent } = await db.query(`
    select attempt, count(*)::int as calls, sum(tokens_in)::int as tokens_in, sum(tokens_out)::int as tokens_out
    from ai_usage group by 1 order by 1`);
  expect(spent).toEqual([
    { attempt: 1, calls: 4, tokens_in: 4, tokens_out: null },
    { attempt: 2, calls: 4, tokens_in: 8, tokens_out: 12 },
  ]);
  const { rows: logs } = await db.query("select count(*)::int as n from run_frame where kind = 'log'");
  expect(logs).toEqual([{ n: 4 }]);
  const engine = createEngine({ db, log: pino({ level: 'silent' }) });
  expect((await runDoctor(engine)).checks.flatMap((each) => each.violations)).toEqual([]);
}

async function onFreshDatabase<T>(work: (database: TestDatabase) => Promise<T>): Promise<T> {
  const database = await createTestDatabase();
  try {
    return await work(database);
  } finally {
    await database.drop();
  }
}

async function dieAndGoOn(database: TestDatabase, point: string): Promise<void> {
  const dead = await runWorker(database.url, { FAIL_POINT: point });
  expect({ point, signal: dead.signal }).toEqual({ point, signal: 'SIGKILL' });
  const next = await runWorker(database.url, { CLOCK_AHEAD_MS: '20000' });
  expect({ point, code: next.code, err: next.err }).toEqual({ point, code: 0, err: '' });
  await check(database).catch((error: unknown) => {
    throw new Error(`after dying at ${point}`, { cause: error });
  });
}

describe('a process that dies at a write', () => {
  let points: string[] = [];
  let declared: string[] = [];

  beforeAll(async () => {
    ensureBuilt();
    ({ reached: points, declared } = await onFreshDatabase(async (database) => {
      const ended = await runWorker(database.url);
      expect(ended).toMatchObject({ code: 0, err: '' });
      await check(database);
      return JSON.parse(ended.out);
    }));
  }, 60_000);

  test('is tried at every write of the engine, but for those that no run depends on', () => {
    const reached = new Set(points.map((point) => point.split(':')[0]));
    expect(declared.filter((name) => !reached.has(name)).sort()).toEqual(notTried);
  });

  test('leaves nothing lost and nothing doubled, wherever it is', async () => {
    const left = [...points];
    const next = async (): Promise<void> => {
      for (let point = left.pop(); point; point = left.pop()) {
        const here = point;
        await onFreshDatabase((database) => dieAndGoOn(database, here));
      }
    };
    await Promise.all([next(), next(), next(), next()]);
  }, 240_000);
});
