import { onStage } from '../stage.ts';
import { burst } from './burst.ts';
import { defineWorkload } from './workload.ts';

export const ingest = defineWorkload({
  name: 'ingest',
  summary: 'runs without steps: the rate of accepted starts, and the time until all have ended',
  sizes: { runs: 5000, concurrency: 64, warmUp: 200 },
  smoke: { runs: 60, concurrency: 16, warmUp: 10 },
  measure: (sizes, options) => onStage(options, (stage) => burst(stage, { workflow: 'noop', ...sizes })),
});
