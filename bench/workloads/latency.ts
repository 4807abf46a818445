import { onStage } from '../stage.ts';
import { oneByOne } from './oneByOne.ts';
import { defineWorkload } from './workload.ts';

export const latency = defineWorkload({
  name: 'latency',
  summary: 'one run at a time, from the start call to its result',
  sizes: { runs: 200, warmUp: 20 },
  smoke: { runs: 5, warmUp: 2 },
  measure: (sizes, options) =>
    onStage(options, async ({ client }) => ({
      steps3Ms: await oneByOne(client, { workflow: 'steps3', ...sizes }),
      steps1Ms: await oneByOne(client, { workflow: 'steps1', ...sizes }),
    })),
});
