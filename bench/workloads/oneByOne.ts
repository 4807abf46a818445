import type { Client } from '../client.ts';
import { type Measures, spread } from '../stats.ts';
import type { WorkflowName } from '../workflows.ts';

interface OneByOne {
  workflow: WorkflowName;
  runs: number;
  warmUp: number;
}

/** Executes one run after another. Measures each from the start call to the result, in ms. */
export async function oneByOne(client: Client, { workflow, runs, warmUp }: OneByOne): Promise<Measures> {
  for (let run = 0; run < warmUp; run += 1) await client.runToEnd(workflow);
  const ms: number[] = [];
  for (let run = 0; run < runs; run += 1) ms.push(await client.runToEnd(workflow));
  return spread(ms);
}
