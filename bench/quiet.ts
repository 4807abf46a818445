import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { machineCpuSeconds } from './usage.ts';

const lookMs = 2_000;
const patienceMs = 600_000;

/** Waits until less than so many cores are busy. Says so and goes on after ten minutes. */
export async function untilQuiet(cores: number): Promise<void> {
  const end = performance.now() + patienceMs;
  while (performance.now() < end) {
    const before = machineCpuSeconds();
    await delay(lookMs);
    if ((machineCpuSeconds() - before) / (lookMs / 1000) < cores) return;
  }
  console.log(`never less than ${cores} of ${availableParallelism()} cores busy: measuring all the same`);
}
