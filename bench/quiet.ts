import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { machineCpuSeconds } from './usage.ts';

const lookMs = 2_000;
const timeoutMs = 600_000;

/** Waits until fewer cores than this are busy. After ten minutes it logs that, and returns. */
export async function untilQuiet(cores: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (performance.now() < end) {
    const before = machineCpuSeconds();
    await delay(lookMs);
    if ((machineCpuSeconds() - before) / (lookMs / 1000) < cores) return;
  }
  console.log(`other processes still use ${cores} or more of ${availableParallelism()} cores: measuring anyway`);
}
