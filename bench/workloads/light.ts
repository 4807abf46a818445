import { difference, perThousand } from '../byProcess.ts';
import { onStage, type Stage } from '../stage.ts';
import { meteredSettings, StatementMeter } from '../statements.ts';
import { type Measures, round } from '../stats.ts';
import { defineWorkload, limitMs } from './workload.ts';

/**
 * The cost of a run while the service has little to do, beside its cost under full load. Few
 * runs share a statement, a flush or a wake-up then.
 */
export const light = defineWorkload({
  name: 'light',
  summary: 'runs of one sleep: CPU and statements per run at a low rate, and as fast as they are accepted',
  sizes: { runs: 3000, rate: 200, ms: 1000, concurrency: 64, warmUp: 2000 },
  smoke: { runs: 60, rate: 100, ms: 100, concurrency: 16, warmUp: 10 },
  measure: ({ runs, rate, ms, concurrency, warmUp }, options) =>
    onStage({ ...options, databaseSettings: meteredSettings }, async (stage) => {
      const starts = { workflow: 'sleeper', ms, concurrency } as const;
      await stage.client.startMany({ ...starts, runs: warmUp });
      await stage.client.allDone(warmUp, limitMs);
      const atRate = await cost(stage, runs, () => stage.client.startMany({ ...starts, runs, rate }));
      const full = await cost(stage, runs, () => stage.client.startMany({ ...starts, runs }));
      return { atRate, full, ratio: round(totalOf(atRate) / totalOf(full)) };
    }),
});

async function cost({ client, database, runner, ...stage }: Stage, runs: number, start: () => Promise<unknown>) {
  await runner.forget();
  const meter = await StatementMeter.start(database);
  const before = stage.cpuSeconds();
  await start();
  await client.allDone(runs, limitMs);
  const cpuSPer1000Runs = perThousand(difference(stage.cpuSeconds(), before), runs);
  return { cpuSPer1000Runs, ...(await meter.per(runs)) };
}

const totalOf = ({ cpuSPer1000Runs }: { cpuSPer1000Runs: Measures }): number => Number(cpuSPer1000Runs['total']);
