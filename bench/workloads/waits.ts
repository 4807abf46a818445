import { addFailed, lastFailed } from '../failedRows.ts';
import { addWaiting } from '../slotRows.ts';
import { onStage, type Stage, type StageOptions } from '../stage.ts';
import { type Measures, round, spread } from '../stats.ts';
import { hold, median } from './slots.ts';
import { defineWorkload } from './workload.ts';

export const waits = defineWorkload({
  name: 'waits',
  summary: 'why a run waits or failed: the cost of the answer beside few and many others',
  sizes: { few: 10, many: 1_000_000, reads: 300, warmUp: 50 },
  smoke: { few: 10, many: 1_000, reads: 5, warmUp: 2 },
  measure: async ({ few, many, ...sizes }, options) => ({
    waiting: await compare({ few, many }, options, { prepare: queue, path: 'waiting', ...sizes }),
    diagnosis: await compare({ few, many }, options, { prepare: fail, path: 'diagnosis', ...sizes }),
  }),
});

interface Reading {
  /** Adds other runs, and answers the run that is asked about. */
  prepare(stage: Stage, runs: number): Promise<string>;
  path: string;
  reads: number;
  warmUp: number;
}

/** Asks beside few and beside many runs in turn, so that other load affects both. */
function compare(
  { few, many }: { few: number; many: number },
  options: StageOptions,
  { prepare, path, reads, warmUp }: Reading,
): Promise<Measures> {
  return onStage(options, (small) =>
    onStage(options, async (large) => {
      const asked = [
        { client: small.client, path: `/runs/${await prepare(small, few)}/${path}`, ms: [] as number[] },
        { client: large.client, path: `/runs/${await prepare(large, many)}/${path}`, ms: [] as number[] },
      ] as const;
      for (let turn = 0; turn < warmUp + reads; turn += 1)
        for (const each of asked) {
          const ms = await each.client.read(each.path);
          if (turn >= warmUp) each.ms.push(ms);
        }
      const [one, other] = asked;
      return { fewMs: spread(one.ms), manyMs: spread(other.ms), times: round(median(other.ms) / median(one.ms), 2) };
    }),
  );
}

/** The last of the runs that wait behind one key. */
async function queue(stage: Stage, runs: number): Promise<string> {
  await addWaiting(stage.database, { holderId: await hold(stage), runs });
  const { rows } = await stage.database.pool.query<{ run_id: string }>(
    "select run_id from run_work where state = 'gated' order by position desc, run_id desc limit 1",
  );
  return rows[0]?.run_id ?? '';
}

/** The last of the runs that failed alike. */
async function fail(stage: Stage, runs: number): Promise<string> {
  await addFailed(stage.database, { workflow: 'noop', runs });
  return lastFailed(stage.database);
}
