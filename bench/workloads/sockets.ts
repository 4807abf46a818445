import { setTimeout as delay } from 'node:timers/promises';
import { examine } from '../doctor.ts';
import { Runner } from '../runner.ts';
import { Service } from '../service.ts';
import { onStage, type Stage, type StageOptions } from '../stage.ts';
import { type Measures, round } from '../stats.ts';
import { cpuSecondsOfTree, memoryMibOfTree } from '../usage.ts';
import { until } from '../waiting.ts';
import { defineWorkload, limitMs } from './workload.ts';

export const sockets = defineWorkload({
  name: 'sockets',
  summary:
    'many connected runners: their idle cost, and the time until all have reconnected after a kill of their service',
  sizes: { sockets: 2_000, busy: 200, stepMs: 500, idleS: 60 },
  smoke: { sockets: 20, busy: 5, stepMs: 100, idleS: 2 },
  measure: (sizes, options) => onStage(options, (stage) => connectMany(stage, sizes, options)),
});

interface SocketSizes {
  sockets: number;
  busy: number;
  stepMs: number;
  idleS: number;
}

/**
 * All sockets connect to a service of their own, which is killed and restarts at the same address.
 */
async function connectMany(stage: Stage, sizes: SocketSizes, { profiling }: StageOptions): Promise<Measures> {
  const { directory, database, service } = stage;
  await stage.runner.stop();
  const options = { directory, databaseUrl: database.url, roles: 'dispatcher', profiling };
  const doomed = await Service.start(options);
  const startedAt = performance.now();
  const { baseUrl } = doomed;
  const crowd = { baseUrl, apiKey: service.apiKey, runner: 'crowd', maxInFlight: 1, sockets: sizes.sockets };
  const runners = await Runner.start(crowd, profiling);
  const connectedS = round((performance.now() - startedAt) / 1000);
  let returned: Service | undefined;
  try {
    const idle = await watchIdle(doomed, sizes.idleS);
    await stage.client.startMany({ workflow: 'slow', runs: sizes.busy, concurrency: 16, ms: sizes.stepMs });
    const inFlight = async (): Promise<boolean> => (await leased(stage)) === sizes.busy;
    await until(inFlight, { limitMs, what: `${sizes.busy} runs in flight` });
    const lost = await dispatcherOf(stage);
    doomed.kill();
    const killedAt = performance.now();
    returned = await Service.start({ ...options, port: doomed.port });
    const readyAt = performance.now();
    const areBack = async (): Promise<boolean> => (await connectedElsewhere(stage, lost)) === sizes.sockets;
    await until(areBack, { limitMs, what: 'all reconnected' });
    const reconnectedS = round((performance.now() - readyAt) / 1000);
    await until(async () => (await unfinished(stage)) === 0, { limitMs, what: 'all runs ended' });
    const endedS = round((performance.now() - killedAt) / 1000);
    const downS = round((readyAt - killedAt) / 1000);
    const memoryMib = Math.round(memoryMibOfTree(returned.pid));
    await requireSuccess(stage, sizes.busy);
    await examine(stage);
    return { connectedS, idle, lossOfTheService: { downS, reconnectedS, endedS, memoryMib } };
  } finally {
    await runners.stop();
    await returned?.stop();
    await doomed.stop();
  }
}

/** CPU in per cent of a core, and memory. */
async function watchIdle({ pid }: Service, seconds: number): Promise<Measures> {
  const before = cpuSecondsOfTree(pid);
  await delay(seconds * 1000);
  const used = cpuSecondsOfTree(pid) - before;
  return { cpuPercent: round((used / seconds) * 100), memoryMib: Math.round(memoryMibOfTree(pid)) };
}

async function leased({ database }: Stage): Promise<number> {
  return count(database.pool.query(`select count(*)::int as n from run_work where state = 'leased'`));
}

async function unfinished({ database }: Stage): Promise<number> {
  return count(database.pool.query('select count(*)::int as n from run_work'));
}

/** How many runners are connected to a dispatcher other than this one. */
async function connectedElsewhere({ database }: Stage, dispatcherId: string): Promise<number> {
  const text = 'select count(*)::int as n from runner where connected and dispatcher_id <> $1';
  return count(database.pool.query(text, [dispatcherId]));
}

async function dispatcherOf({ database }: Stage): Promise<string> {
  const { rows } = await database.pool.query<{ id: string }>(
    'select dispatcher_id as id from runner where connected and dispatcher_id is not null limit 1',
  );
  if (rows[0] === undefined) throw new Error('no runner is connected');
  return rows[0].id;
}

async function count(answer: Promise<{ rows: { n: number }[] }>): Promise<number> {
  return (await answer).rows[0]?.n ?? Number.NaN;
}

async function requireSuccess({ database }: Stage, runs: number): Promise<void> {
  const succeeded = await count(
    database.pool.query(`select count(*)::int as n from run where status = 'succeeded' and workflow = 'slow'`),
  );
  if (succeeded !== runs) throw new Error(`${succeeded} of ${runs} runs succeeded`);
}
