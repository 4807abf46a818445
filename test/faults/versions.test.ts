import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { Cluster } from './kit/cluster.ts';
import { buildFormer, findFormer } from './kit/formerBuild.ts';
import { isNightly, within } from './kit/scale.ts';
import { Trial } from './kit/trial.ts';

const perSecond = 15;
/** It has to be installed, generated and built first. */
const buildMs = 600_000;

const former = findFormer();
/** A build takes its time, and a clone may come without the history that it is made of. */
const reason = isNightly ? ('missing' in former ? former.missing : undefined) : 'FAULTS_SCALE is 1';
if (reason !== undefined) console.log(`two builds side by side are not tried: ${reason}`);

const countMigrations = async (url: string): Promise<number> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ n: number }>('select count(*)::int as n from _prisma_migrations');
  await client.end();
  return rows[0]?.n ?? 0;
};

/**
 * The former build takes the place of this one again. One that knew no way back says so before
 * anything is touched.
 */
async function goBack(cluster: Cluster, build: string, isMigrated: boolean): Promise<void> {
  const first = cluster.at(0);
  await first.process.end('SIGTERM');
  const database = join(build, 'src', 'engine', 'db');
  const knowsWayBack = ['migrations', '.'].some((room) => existsSync(join(database, room, 'migrationHistory.ts')));
  if (isMigrated && !knowsWayBack) {
    await expect(cluster.replace(first, build)).rejects.toThrow('migrated by a newer version');
    return;
  }
  await cluster.replace(first, build);
  const trial = await Trial.begin(cluster, perSecond);
  await trial.progress(60);
  await trial.judge();
}

describe.skipIf(reason !== undefined)('two processes of a former build under load', () => {
  test(
    'are replaced by this build one after the other, and fail no request; the former goes on with the new schema',
    async () => {
      const build = 'commit' in former ? buildFormer(former.commit) : '';
      const cluster = await Cluster.open(2, { build });
      try {
        const before = await countMigrations(cluster.databaseUrl);
        const trial = await Trial.begin(cluster, perSecond);
        for (const instance of cluster.instances) {
          trial.strike('SIGTERM');
          expect(await instance.process.end('SIGTERM')).toBe(0);
          trial.strike('gone');
          await cluster.replace(instance);
          // After the first, the other one still is of the former build.
          await trial.progress(60);
        }
        expect({ failures: trial.load.failures, faults: trial.faults }).toMatchObject({ failures: [] });
        await trial.judge();
        const isMigrated = (await countMigrations(cluster.databaseUrl)) > before;
        if (process.env['FAULTS_FORMER'] === undefined) expect(isMigrated).toBe(true);
        await goBack(cluster, build, isMigrated);
      } finally {
        await cluster.close();
      }
    },
    buildMs + within(2, 60_000),
  );
});
