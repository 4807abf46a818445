import { Client } from '../client.ts';
import { addWaiting } from '../slotRows.ts';
import { onStage, type Stage, type StageOptions } from '../stage.ts';
import { type Measures, round, spread } from '../stats.ts';
import { until } from '../waiting.ts';
import { burst } from './burst.ts';
import { oneByOne } from './oneByOne.ts';
import { defineWorkload, limitMs } from './workload.ts';

const hourMs = 3_600_000;

export const slots = defineWorkload({
  name: 'slots',
  summary:
    'concurrency: what others pay for many runs behind one full key, or behind as many keys, and what keys cost at all',
  sizes: {
    waiting: [0, 1_000_000],
    keys: [0, 100_000],
    starts: 200,
    warmUp: 20,
    runs: 2000,
    concurrency: 64,
    scopes: 100,
  },
  smoke: { waiting: [0, 1_000], keys: [0, 1_000], starts: 5, warmUp: 2, runs: 60, concurrency: 16, scopes: 3 },
  async measure({ waiting, keys, runs, concurrency, scopes, ...sizes }, options) {
    const behindOneKey: Measures = {};
    for (const count of waiting) behindOneKey[count] = await behind(count, false, sizes, options);
    const behindKeys: Measures = {};
    for (const count of keys) behindKeys[count] = await behind(count, true, sizes, options);
    const load = { runs, concurrency, warmUp: sizes.warmUp };
    const plain = await onStage(options, (stage) => burst(stage, { workflow: 'steps3', ...load }));
    const keyed = await onStage(options, (stage) => burst(stage, { workflow: 'keyed3', ...load, scopes }));
    const share = round(Number(keyed['runsPerS']) / Number(plain['runsPerS']), 2);
    return { behindOneKey, behindKeys, throughput: { plain, keyed, share } };
  },
});

interface StartSizes {
  starts: number;
  warmUp: number;
}

/** What starts take while runs wait: of another workflow, and of the same with keys that are free. */
function behind(count: number, isSpread: boolean, sizes: StartSizes, options: StageOptions): Promise<Measures> {
  return onStage(options, async (stage) => {
    const holderId = await hold(stage);
    if (count > 0) await addWaiting(stage.database, { holderId, runs: count, isSpread });
    const { starts: runs, warmUp } = sizes;
    const otherWorkflowMs = await oneByOne(stage.client, { workflow: 'noop', runs, warmUp });
    return { otherWorkflowMs, otherKeyMs: await otherKeys(stage, sizes) };
  });
}

/** A run that does not end, in the slot of scope 0. */
async function hold({ service, database }: Stage): Promise<string> {
  const holder = new Client(service, () => 0);
  const { id } = await holder.start('narrow', { scope: 0, ms: hourMs });
  holder.close();
  const isExecuted = async (): Promise<boolean> => {
    const { rows } = await database.pool.query("select from run_work where run_id = $1 and state = 'leased'", [id]);
    return rows.length === 1;
  };
  await until(isExecuted, { limitMs, what: 'a run that holds its slot' });
  return id;
}

async function otherKeys({ client }: Stage, { starts, warmUp }: StartSizes): Promise<Measures> {
  const ms: number[] = [];
  for (let run = 0; run < warmUp + starts; run += 1) {
    const took = await client.runToEnd('narrow', { scope: 1 + (run % 10) });
    if (run >= warmUp) ms.push(took);
  }
  return spread(ms);
}
