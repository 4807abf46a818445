import { difference, eachProcess, perThousand } from '../byProcess.ts';
import type { Stage } from '../stage.ts';
import { type Measures, round, spread } from '../stats.ts';
import { stepsOf, type WorkflowName } from '../workflows.ts';
import { limitMs } from './workload.ts';

interface Burst {
  workflow: WorkflowName;
  runs: number;
  concurrency: number;
  warmUp: number;
  /** The number of flow-control scopes over which the runs are spread. */
  scopes?: number;
}

/** Starts many runs as fast as they are accepted, and waits until the last one has ended. */
export async function burst(stage: Stage, { workflow, runs, concurrency, warmUp, scopes }: Burst): Promise<Measures> {
  const { client, runner } = stage;
  const start = { workflow, ...(scopes !== undefined && { scopes }) };
  await client.startMany({ ...start, runs: warmUp, concurrency: Math.min(16, warmUp) });
  await client.allDone(warmUp, limitMs);
  await runner.forget();

  const cpuBefore = stage.cpuSeconds();
  const startedAt = performance.now();
  const acceptMs = await client.startMany({ ...start, runs, concurrency });
  const acceptedS = (performance.now() - startedAt) / 1000;
  await client.allDone(runs, limitMs);
  const doneS = (performance.now() - startedAt) / 1000;
  const cpuS = difference(stage.cpuSeconds(), cpuBefore);
  const steps = runs * (stepsOf[workflow] ?? 0);
  return {
    acceptedS: round(acceptedS, 3),
    doneS: round(doneS, 3),
    acceptedPerS: round(runs / acceptedS, 1),
    runsPerS: round(runs / doneS, 1),
    ...(steps > 0 && { stepsPerS: round(steps / doneS, 1) }),
    acceptMs: spread(acceptMs),
    ...(steps > 0 ? { cpuSPer1000Steps: perThousand(cpuS, steps) } : { cpuSPer1000Runs: perThousand(cpuS, runs) }),
    memoryMib: { ...eachProcess(stage.memoryMib(), Math.round) },
  };
}
