import { onStage } from '../stage.ts';
import { round } from '../stats.ts';
import { oneByOne } from './oneByOne.ts';
import { defineWorkload } from './workload.ts';

/** The first runs of a fresh service, runner and database, beside the later ones. */
export const cold = defineWorkload({
  name: 'cold',
  summary: 'one run of three steps at a time: the first of fresh processes, and later ones',
  sizes: { runs: 200, warmUp: 1000 },
  smoke: { runs: 5, warmUp: 5 },
  measure: ({ runs, warmUp }, options) =>
    onStage(options, async ({ client }) => {
      const firstMs = await oneByOne(client, { workflow: 'steps3', runs, warmUp: 0 });
      const laterMs = await oneByOne(client, { workflow: 'steps3', runs, warmUp });
      const ratio = (name: 'p50' | 'p99'): number => round(Number(firstMs[name]) / Number(laterMs[name]));
      return { firstMs, laterMs, ratioP50: ratio('p50'), ratioP99: ratio('p99') };
    }),
});
