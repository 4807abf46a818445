import { onStage } from '../stage.ts';
import { oneByOne } from './oneByOne.ts';
import { defineWorkload } from './workload.ts';

export const fanout = defineWorkload({
  name: 'fanout',
  summary: 'one run of 200 parallel steps, one of 100 steps in a row',
  sizes: { runs: 5, warmUp: 1 },
  smoke: { runs: 1, warmUp: 0 },
  measure: (sizes, options) =>
    onStage(options, async ({ client }) => ({
      parallel200Ms: await oneByOne(client, { workflow: 'fan200', ...sizes }),
      sequential100Ms: await oneByOne(client, { workflow: 'seq100', ...sizes }),
    })),
});
