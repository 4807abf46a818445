import { difference, perThousand } from '../byProcess.ts';
import { examine } from '../doctor.ts';
import { onStage, type Stage } from '../stage.ts';
import { meteredSettings, StatementMeter } from '../statements.ts';
import { type Measures, spread } from '../stats.ts';
import { defineWorkload } from './workload.ts';

export const parallel = defineWorkload({
  name: 'parallel',
  summary: 'one run with many parallel steps: the cost of a step in a run of 100 and in one of 1,000',
  sizes: { steps: [100, 1_000], runs: 10, warmUp: 3 },
  smoke: { steps: [10, 40], runs: 2, warmUp: 1 },
  measure: ({ steps, ...sizes }, options) =>
    onStage({ ...options, databaseSettings: meteredSettings }, async (stage) => {
      const bySteps: Measures = {};
      for (const count of steps) bySteps[count] = await wide(stage, { steps: count, ...sizes });
      await examine(stage);
      return bySteps;
    }),
});

interface WideSizes {
  steps: number;
  runs: number;
  warmUp: number;
}

async function wide({ client, database, ...stage }: Stage, { steps, runs, warmUp }: WideSizes): Promise<Measures> {
  for (let run = 0; run < warmUp; run += 1) await client.runToEnd('parallel', { steps });
  const meter = await StatementMeter.start(database);
  const cpuBefore = stage.cpuSeconds();
  const ms: number[] = [];
  for (let run = 0; run < runs; run += 1) ms.push(await client.runToEnd('parallel', { steps }));
  const cpuS = difference(stage.cpuSeconds(), cpuBefore);
  return { runMs: spread(ms), cpuSPer1000Steps: perThousand(cpuS, steps * runs), perRun: await meter.per(runs) };
}
