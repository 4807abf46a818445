import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../src/engine/db/embedded/ports.ts';
import { type ServiceProcess, startServiceProcess } from '../support/serviceProcess.ts';
import { times, upWithinMs, within } from './kit/scale.ts';
import { pause, Trial, until } from './kit/trial.ts';

const perSecond = 15;

let dataDir: string;
let service: ServiceProcess;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'holdfast-database-'));
  const port = await freePort(undefined);
  service = await startServiceProcess({ dataDir, env: { PORT: String(port), LOG_LEVEL: 'warn' } });
}, upWithinMs);
afterEach(async () => {
  await service.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
}, upWithinMs);

/** The address of the embedded PostgreSQL, which is durable as in use. */
async function databaseUrl(): Promise<string> {
  const { port, password } = JSON.parse(await readFile(join(dataDir, 'pg', 'holdfast.json'), 'utf8'));
  return `postgres://postgres:${password}@127.0.0.1:${port}/holdfast`;
}

const begin = async (): Promise<Trial> =>
  Trial.begin({ baseUrls: [service.baseUrl], keys: service.keys, databaseUrl: await databaseUrl() }, perSecond);

const postmaster = async (): Promise<number> =>
  Number((await readFile(join(dataDir, 'pg', 'postmaster.pid'), 'utf8')).split('\n')[0]);

const isReady = async (): Promise<boolean> => (await fetch(`${service.baseUrl}/health/ready`)).ok;

/** How the server goes: by a fast stop, an immediate one, or a death. */
const ways = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const;

describe('a service under load whose PostgreSQL', () => {
  test(
    'goes, politely or not, and comes back stays up, acknowledges nothing that it does not keep, and goes on',
    async () => {
      const trial = await begin();
      for (let stops = 0; stops < times(1); stops += 1) {
        for (const signal of ways) {
          trial.strike(signal);
          process.kill(await postmaster(), signal);
          await until(async () => !(await isReady()), 'readiness to be denied');
          await until(isReady, 'the database to be back');
          trial.strike('is back');
          await trial.progress();
        }
      }
      expect(service.child.exitCode).toBeNull();
      // Whoever was not acknowledged was told so.
      expect(trial.load.failures.filter(({ why }) => !/^status 5\d\d$/.test(why))).toEqual([]);
      await trial.judge();
    },
    within(3, 60_000),
  );

  test(
    'ends connections at random goes on with new ones',
    async () => {
      const trial = await begin();
      const client = new pg.Client({ connectionString: await databaseUrl() });
      await client.connect();
      const text = `
        select pid, pg_terminate_backend(pid) from (
          select pid from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
          order by random() limit 1) victim`;
      let ended = 0;
      for (let strikes = 0; strikes < times(25); strikes += 1) {
        trial.strike('pg_terminate_backend');
        ended += (await client.query(text)).rows.length;
        await pause(200);
      }
      await client.end();
      expect(ended).toBeGreaterThan(times(25) / 2);
      await trial.progress();
      expect(service.child.exitCode).toBeNull();
      expect(await isReady()).toBe(true);
      await trial.judge();
    },
    within(25, 2_000),
  );
});
