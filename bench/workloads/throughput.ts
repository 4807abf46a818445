import { onStage } from '../stage.ts';
import { burst } from './burst.ts';
import { defineWorkload } from './workload.ts';

export const throughput = defineWorkload({
  name: 'throughput',
  summary: 'runs of three steps, started as fast as they are accepted, until the last has ended',
  sizes: { runs: 2000, concurrency: 64, warmUp: 200 },
  smoke: { runs: 60, concurrency: 16, warmUp: 10 },
  measure: (sizes, options) => onStage(options, (stage) => burst(stage, { workflow: 'steps3', ...sizes })),
});
