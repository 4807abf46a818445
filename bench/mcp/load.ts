import { setTimeout as delay } from 'node:timers/promises';
import { liveBytes } from '../heap.ts';
import type { Stage } from '../stage.ts';
import { type Measures, percentile, round, spread } from '../stats.ts';
import { openHandlesOf } from '../usage.ts';
import { inLoops } from '../waiting.ts';
import type { McpAgent } from './agent.ts';

const listsPerSecond = 50;
const turns = 4;

/** Runs of three steps, one after the other: alone, and while an agent lists runs, in turn. */
export async function besideLists({ client }: Stage, agent: McpAgent, runs: number): Promise<Measures> {
  const timed = async (): Promise<number[]> => {
    const times: number[] = [];
    while (times.length < runs) times.push(await client.runToEnd('steps3'));
    return times;
  };
  const calls: Promise<unknown>[] = [];
  const listing = async (): Promise<number[]> => {
    const timer = setInterval(() => calls.push(agent.call('list_runs', {})), 1000 / listsPerSecond);
    try {
      return await timed();
    } finally {
      clearInterval(timer);
    }
  };
  await listing();
  const without: number[] = [];
  const during: number[] = [];
  // In turns, because one pause of the machine moves the p99 of a few hundred runs.
  for (let turn = 0; turn < turns; turn += 1) {
    without.push(...(await timed()));
    during.push(...(await listing()));
  }
  await Promise.all(calls);
  return {
    without: spread(without),
    during: spread(during),
    lists: calls.length,
    p99Ratio: round(percentile(during, 99) / percentile(without, 99)),
  };
}

/** Memory and open files of the service before and after many calls. */
export async function levels(
  { service }: Stage,
  agent: McpAgent,
  { id, calls, inspectPort }: { id: string; calls: number; inspectPort: number },
): Promise<Measures> {
  const read = (): Promise<number> => agent.call('get_run', { id });
  const look = async (): Promise<Record<string, number>> => {
    await delay(1_000);
    const liveMib = round((await liveBytes(inspectPort)) / 2 ** 20, 1);
    return { liveMib, files: openHandlesOf(service.pid) };
  };
  // The first calls fill caches, and compile code.
  await inLoops(Math.ceil(calls / 10), 8, read);
  const before = await look();
  await inLoops(calls, 8, read);
  return { before, after: await look() };
}
