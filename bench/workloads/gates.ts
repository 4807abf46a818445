import { difference, perThousand } from '../byProcess.ts';
import { examine } from '../doctor.ts';
import { onStage, type Stage, type StageOptions } from '../stage.ts';
import { type Measures, round, spread } from '../stats.ts';
import { until } from '../waiting.ts';
import type { WorkflowName } from '../workflows.ts';
import { defineWorkload, limitMs } from './workload.ts';

/** The others are compared with the first. */
const gated: readonly WorkflowName[] = ['noop', 'limited', 'debounced', 'batched'];

export const gates = defineWorkload({
  name: 'gates',
  summary: 'the rate of accepted starts under rateLimit, debounce and batch, as a share of the rate without',
  sizes: { starts: 5000, concurrency: 64, scopes: 100, warmUp: 200 },
  smoke: { starts: 60, concurrency: 16, scopes: 3, warmUp: 10 },
  async measure(sizes, options) {
    const byPolicy: Record<string, Measures> = {};
    let plainPerS: number | undefined;
    for (const workflow of gated) {
      const { acceptedPerS, ...others } = await accept(workflow, sizes, options);
      plainPerS ??= acceptedPerS;
      byPolicy[workflow] = { acceptedPerS, share: round(acceptedPerS / plainPerS, 2), ...others };
    }
    return byPolicy;
  },
});

interface GateSizes {
  starts: number;
  concurrency: number;
  scopes: number;
  warmUp: number;
}

function accept(
  workflow: WorkflowName,
  { starts, concurrency, scopes, warmUp }: GateSizes,
  options: StageOptions,
): Promise<Measures & { acceptedPerS: number }> {
  return onStage(options, async (stage) => {
    const { client } = stage;
    await client.startMany({ workflow, runs: warmUp, concurrency: Math.min(16, warmUp), scopes });
    await isThrough(stage);
    const cpuBefore = stage.cpuSeconds();
    const startedAt = performance.now();
    const acceptMs = await client.startMany({ workflow, runs: starts, concurrency, scopes });
    const acceptedS = (performance.now() - startedAt) / 1000;
    await isThrough(stage);
    const cpuS = difference(stage.cpuSeconds(), cpuBefore);
    await examine(stage);
    return {
      acceptedPerS: round(starts / acceptedS, 1),
      acceptMs: spread(acceptMs),
      cpuSPer1000Starts: perThousand(cpuS, starts),
    };
  });
}

/** Resolves when no start is buffered and no run is unfinished. */
function isThrough({ database }: Stage): Promise<void> {
  const isEmpty = async (): Promise<boolean> => {
    const { rows } = await database.pool.query<{ left: boolean }>(
      'select exists (select from flow_buffer) or exists (select from run_work) as left',
    );
    return rows[0]?.left === false;
  };
  return until(isEmpty, { limitMs, what: 'all starts through' });
}
