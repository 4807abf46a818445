import { addListed } from '../listRows.ts';
import { onStage, type Stage } from '../stage.ts';
import { type Measures, round, spread } from '../stats.ts';
import { defineWorkload } from './workload.ts';

export const lists = defineWorkload({
  name: 'lists',
  summary: 'the largest pages of events and sessions, and a page of runs and of one event beside them',
  sizes: { events: 1_000, sessions: 500, reads: 40, warmUp: 10 },
  smoke: { events: 20, sessions: 10, reads: 3, warmUp: 1 },
  measure: ({ events, sessions, reads, warmUp }, options) =>
    onStage(options, async (stage) => {
      await addListed(stage.database, { events, sessions });
      const asked = {
        events: `/events?limit=${events}`,
        event: '/events?limit=1',
        sessions: `/sessions?limit=${sessions}`,
        session: '/sessions?limit=1',
        runs: '/runs?limit=200',
      };
      const measured: Measures = {};
      for (const [name, path] of Object.entries(asked))
        measured[name] = await readOften(stage, path, { reads, warmUp });
      return measured;
    }),
});

/** Beside the time, the CPU of a page, which other load changes less. */
async function readOften(
  { client, cpuSeconds }: Stage,
  path: string,
  { reads, warmUp }: { reads: number; warmUp: number },
): Promise<Measures> {
  for (let read = 0; read < warmUp; read += 1) await client.read(path);
  const before = cpuSeconds();
  const ms: number[] = [];
  for (let read = 0; read < reads; read += 1) ms.push(await client.read(path));
  const after = cpuSeconds();
  const cpuMs = (of: 'service' | 'database'): number => round(((after[of] - before[of]) * 1000) / reads, 1);
  return { ms: spread(ms), serviceCpuMs: cpuMs('service'), databaseCpuMs: cpuMs('database') };
}
