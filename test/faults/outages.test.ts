import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Cluster } from './kit/cluster.ts';
import { OwnServer } from './kit/ownServer.ts';
import { times, upWithinMs, within } from './kit/scale.ts';
import { pause, Trial, until } from './kit/trial.ts';

const perSecond = 15;
/**
 * How long the database is away, in turn; the first on each push. Others find a dispatcher silent
 * after less.
 */
const outagesMs = [7_000, 500, 2_000, 15_000, 30_000];
const signals = ['SIGQUIT', 'SIGINT', 'SIGKILL'] as const;
/** Answers that were under way when the database went may arrive for so long. */
const underWayMs = 1_000;
/** More than PostgreSQL has room for: 100 connections, of which 3 are kept for superusers. */
const others = 300;

let server: OwnServer;
let cluster: Cluster;
beforeEach(async () => {
  server = await OwnServer.open();
  cluster = await Cluster.open(2, { database: { url: server.url, drop: () => server.close() } });
}, upWithinMs);
afterEach(() => cluster.close(), upWithinMs);

const begin = (): Promise<Trial> =>
  Trial.begin({ baseUrls: cluster.baseUrls, keys: cluster.keys, databaseUrl: server.adminUrl() }, perSecond);

const isReady = async (): Promise<boolean> => {
  const answers = await Promise.all(cluster.baseUrls.map((baseUrl) => fetch(`${baseUrl}/health/ready`)));
  return answers.every(({ ok }) => ok);
};

const isNobodyReady = async (): Promise<boolean> => {
  const answers = await Promise.all(cluster.baseUrls.map((baseUrl) => fetch(`${baseUrl}/health/ready`)));
  return answers.every(({ status }) => status === 503);
};

function expectAllUp(trial: Trial): void {
  for (const { process } of cluster.instances) expect(process.child.exitCode).toBeNull();
  // Whoever was not acknowledged was told so.
  expect(trial.load.failures.filter(({ why }) => !/^status 5\d\d$/.test(why))).toEqual([]);
}

/**
 * Takes connections until there is no room for more, and holds on to them; again whenever one gets
 * free.
 */
class Crowd {
  refused = 0;
  readonly #clients: pg.Client[] = [];
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async push(count: number): Promise<void> {
    for (let asked = 0; asked < count; asked += 10) await Promise.all(Array.from({ length: 10 }, () => this.#enter()));
  }

  async leave(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.end()));
  }

  async #enter(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url, application_name: 'crowd' });
    client.on('error', () => undefined);
    try {
      await client.connect();
      this.#clients.push(client);
    } catch (error) {
      expect(error).toMatchObject({ code: '53300' });
      this.refused += 1;
    }
  }
}

describe('two processes under load whose PostgreSQL', () => {
  test(
    'is away for longer than a lease lasts deny readiness, acknowledge nothing meanwhile, and go on',
    async () => {
      const trial = await begin();
      for (let turn = 0; turn < times(1); turn += 1) {
        const signal = signals[turn % signals.length] ?? 'SIGQUIT';
        trial.strike(signal);
        server.kill(signal);
        await until(isNobodyReady, 'readiness to be denied');
        const goneAt = trial.strike('is away');
        await pause(outagesMs[turn % outagesMs.length] ?? 0);
        expect(await isNobodyReady()).toBe(true);
        const backAt = trial.strike('comes back');
        await server.start();
        await until(isReady, 'the database to be back');
        trial.strike('is back');
        await trial.progress();
        expect(trial.load.acknowledgedBetween(goneAt + underWayMs, backAt)).toEqual([]);
      }
      expectAllUp(trial);
      await trial.judge();
    },
    within(1, 90_000),
  );

  test(
    'has no connection left for them say so, and go on once there is room',
    async () => {
      const trial = await begin();
      const crowd = new Crowd(server.url);
      const admin = new pg.Client({ connectionString: server.adminUrl() });
      await admin.connect();
      try {
        for (let turn = 0; turn < times(1); turn += 1) {
          await crowd.push(others);
          expect(crowd.refused).toBeGreaterThan(others / 2);
          // Who has his connections needs no others.
          await trial.progress();
          trial.strike('connections are lost');
          await until(async () => {
            await admin.query(
              `select pg_terminate_backend(pid) from pg_stat_activity
               where application_name like 'holdfast%' and backend_type = 'client backend'`,
            );
            await crowd.push(20);
            return isNobodyReady();
          }, 'no connection to be left');
          trial.strike('there is room');
          await crowd.leave();
          await until(isReady, 'connections to be there again');
          trial.strike('connected');
          await trial.progress();
        }
      } finally {
        await crowd.leave();
        await admin.end();
      }
      expectAllUp(trial);
      await trial.judge();
    },
    within(1, 60_000),
  );
});
