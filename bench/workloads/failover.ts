import { setTimeout as delay } from 'node:timers/promises';
import type { BenchDatabase } from '../database.ts';
import { Runner } from '../runner.ts';
import { Service } from '../service.ts';
import { onStage, type Stage, type StageOptions } from '../stage.ts';
import { type Measures, round } from '../stats.ts';
import { until } from '../waiting.ts';
import { defineWorkload, limitMs } from './workload.ts';

export const failover = defineWorkload({
  name: 'failover',
  summary: 'one of two dispatchers is killed with runs in flight: the time until the other has claimed them all',
  sizes: { runs: 100, stepMs: 200, killAfterMs: 1000 },
  smoke: { runs: 10, stepMs: 100, killAfterMs: 500 },
  measure: (sizes, options) => onStage(options, (stage) => loseOne(stage, sizes, options)),
});

interface FailoverSizes {
  runs: number;
  stepMs: number;
  killAfterMs: number;
}

/**
 * All runs start on the process that will be killed, which has the only runner. Then the other
 * process gets a runner, too.
 */
async function loseOne(stage: Stage, sizes: FailoverSizes, { profiling }: StageOptions): Promise<Measures> {
  const { client, database, directory, service } = stage;
  const { runs, stepMs, killAfterMs } = sizes;
  await stage.runner.stop();
  const doomed = await Service.start({ directory, databaseUrl: database.url, roles: 'dispatcher', profiling });
  const runners: Runner[] = [];
  const connect = async ({ baseUrl }: Service, runner: string): Promise<void> => {
    const options = { baseUrl, apiKey: service.apiKey, runner, maxInFlight: runs };
    runners.push(await Runner.start(options, profiling));
  };
  try {
    await connect(doomed, 'doomed');
    await client.startMany({ workflow: 'slow', runs, concurrency: 16, ms: stepMs });
    const lease = await dispatcherOf(database, 'doomed');
    const allLeased = async (): Promise<boolean> => (await look(database, lease)).held === runs;
    await until(allLeased, { limitMs: 20_000, what: `${runs} runs in flight` });
    await connect(service, 'survivor');
    await delay(killAfterMs);
    doomed.kill();
    return await watchThemMove(database, lease);
  } finally {
    await Promise.all(runners.map((runner) => runner.stop()));
    await doomed.stop();
  }
}

async function watchThemMove(database: BenchDatabase, lease: string): Promise<Measures> {
  const killedAt = performance.now();
  const secondsSince = (): number => round((performance.now() - killedAt) / 1000, 3);
  const when = async (what: string, isIt: (seen: Seen) => boolean): Promise<number> => {
    await until(async () => isIt(await look(database, lease)), { limitMs, everyMs: 10, what });
    return secondsSince();
  };
  const { held } = await look(database, lease);
  const freedS = await when('all runs freed', (seen) => seen.held === 0);
  const movedS = await when('all runs taken over', (seen) => seen.held === 0 && seen.free === 0);
  const endedS = await when('all runs ended', (seen) => seen.unfinished === 0);
  return { heldByTheDead: held, freedS, movedS, endedS };
}

interface Seen {
  /** Runs leased to the killed process. */
  held: number;
  /** Runs without a lease. */
  free: number;
  unfinished: number;
}

async function look({ pool }: BenchDatabase, lease: string): Promise<Seen> {
  const { rows } = await pool.query<Seen>(
    `select count(*) filter (where lease_id = $1)::int as held, count(*) filter (where lease_id is null)::int as free,
       count(*)::int as unfinished from run_work`,
    [lease],
  );
  return rows[0] ?? { held: 0, free: 0, unfinished: 0 };
}

async function dispatcherOf({ pool }: BenchDatabase, runner: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('select dispatcher_id as id from runner where runner_id = $1', [
    runner,
  ]);
  if (rows[0] === undefined) throw new Error(`runner ${runner} is not known`);
  return rows[0].id;
}
