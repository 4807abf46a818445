import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Cluster } from './kit/cluster.ts';
import { migrateAsNewerVersion } from './kit/newerVersion.ts';
import { times, upWithinMs, within } from './kit/scale.ts';
import { pause, Trial, until } from './kit/trial.ts';

const perSecond = 15;
/**
 * After this a dispatcher is found silent (silenceMs): three times that is long enough for all it
 * held to be given away.
 */
const leaseMs = 6_000;

/**
 * Each costs the start of a process, some seconds of a core. `test/random/kills` and `test/crash`
 * kill as well, the latter at each statement that writes: what many kills at random moments find
 * beyond that, is for the night.
 */
const killsOnPush = 10;
/** Of so many kills, one is followed by some time without that process. */
const aloneEvery = 5;

let cluster: Cluster;
beforeEach(async () => {
  cluster = await Cluster.open(2);
}, upWithinMs);
afterEach(() => cluster.close(), upWithinMs);

const isReady = async (baseUrl: string): Promise<boolean> => (await fetch(`${baseUrl}/health/ready`)).status === 200;

describe('two processes under load, of which', () => {
  test(
    'one is killed again and again, go on without loss or repetition',
    async () => {
      const trial = await Trial.begin(cluster, perSecond);
      for (let kills = 0; kills < times(killsOnPush); kills += 1) {
        const victim = cluster.at(kills);
        trial.strike('SIGKILL');
        await victim.process.end('SIGKILL');
        trial.strike('gone');
        // The other takes what comes, at once: now and then it has to do so alone.
        if (kills % aloneEvery === 0) await trial.progress();
        await Promise.all([cluster.replace(victim), trial.progress(5)]);
      }
      await trial.judge();
    },
    within(killsOnPush, 30_000),
  );

  test(
    'one stands still for longer than its leases last, give its runs to the other, and what it commits late changes nothing',
    async () => {
      const trial = await Trial.begin(cluster, perSecond);
      for (let stops = 0; stops < times(2); stops += 1) {
        const { process, baseUrl } = cluster.at(stops);
        trial.strike('SIGSTOP');
        process.child.kill('SIGSTOP');
        await pause(leaseMs / 2);
        trial.strike('stands still');
        await pause(stops === 0 ? 2.5 * leaseMs : leaseMs);
        // The other one does it all alone: from the second time on it is one that stood still
        // itself.
        await trial.progress();
        trial.strike('SIGCONT');
        trial.excuse(baseUrl);
        process.child.kill('SIGCONT');
        await until(() => isReady(baseUrl), 'the process to be ready again');
        await trial.progress();
        expect(process.child.exitCode).toBeNull();
      }
      await trial.judge();
    },
    within(2, 60_000),
  );

  test(
    'one after the other is replaced, fail no request, also where a newer version has migrated meanwhile',
    async () => {
      const trial = await Trial.begin(cluster, perSecond);
      for (let rolls = 0; rolls < times(1); rolls += 1) {
        for (const [position, instance] of cluster.instances.entries()) {
          trial.strike('SIGTERM');
          expect(await instance.process.end('SIGTERM')).toBe(0);
          trial.strike('gone');
          if (rolls === 0 && position === 1) {
            trial.strike('migrated');
            await migrateAsNewerVersion(cluster.databaseUrl);
            await trial.progress();
          }
          await cluster.replace(instance);
          await trial.progress();
        }
      }
      expect({ failures: trial.load.failures, faults: trial.faults }).toMatchObject({ failures: [] });
      await trial.judge();
    },
    within(1, 60_000),
  );
});
