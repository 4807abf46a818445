import { setTimeout as delay } from 'node:timers/promises';
import { difference, eachProcess } from '../byProcess.ts';
import type { BenchDatabase } from '../database.ts';
import { onStage, type Stage } from '../stage.ts';
import { meteredSettings, StatementMeter } from '../statements.ts';
import { type Measures, round } from '../stats.ts';
import { until } from '../waiting.ts';
import { defineWorkload, limitMs } from './workload.ts';

const dayMs = 86_400_000;

export const idle = defineWorkload({
  name: 'idle',
  summary: 'sleeping runs, nothing due: statements a minute, CPU, memory',
  sizes: { runs: 10_000, concurrency: 64, settleS: 30, seconds: 60 },
  smoke: { runs: 100, concurrency: 16, settleS: 2, seconds: 5 },
  measure: (sizes, options) => {
    return onStage({ ...options, databaseSettings: meteredSettings }, async (stage) => {
      const { runs, concurrency, settleS, seconds } = sizes;
      await stage.client.startMany({ workflow: 'sleeper', runs, concurrency, ms: dayMs });
      await until(() => areAsleep(stage.database, runs), { limitMs, everyMs: 200, what: `${runs} runs asleep` });
      await delay(settleS * 1000);
      return watch(stage, seconds);
    });
  },
});

/** Whether so many runs sleep, and no other run is unfinished. */
export async function areAsleep({ pool }: BenchDatabase, runs: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from run_work where state = 'parked' having count(*) = $1 and not exists (
       select from run_work where state <> 'parked')`,
    [runs],
  );
  return rowCount === 1;
}

async function watch({ database, ...stage }: Stage, seconds: number): Promise<Measures> {
  const cpuBefore = stage.cpuSeconds();
  const meter = await StatementMeter.start(database);
  await delay(seconds * 1000);
  const counts = await meter.read();
  const cpuS = difference(stage.cpuSeconds(), cpuBefore);
  const aMinute = (count: number): number => round((count / seconds) * 60);
  return {
    statementsPerMinute: aMinute(counts.reduce((total, { calls }) => total + calls, 0)),
    cpuSPerMinute: { ...eachProcess(cpuS, aMinute) },
    memoryMib: { ...eachProcess(stage.memoryMib(), Math.round) },
    databaseMib: Math.round(await database.sizeMib()),
    byStatement: Object.fromEntries(counts.map(({ query, calls }) => [query, aMinute(calls)])),
  };
}
