import { Client } from '../client.ts';
import { addWaiting } from '../slotRows.ts';
import { onStage, type Stage, type StageOptions } from '../stage.ts';
import { type Measures, round, spread, sum } from '../stats.ts';
import { until } from '../waiting.ts';
import type { WorkflowName } from '../workflows.ts';
import { burst } from './burst.ts';
import { defineWorkload, limitMs } from './workload.ts';

const hourMs = 3_600_000;

export const slots = defineWorkload({
  name: 'slots',
  summary:
    'concurrency: the cost for others of many runs behind one full key or as many keys, and the cost of keys alone',
  sizes: {
    waiting: [1_000_000],
    keys: [100_000],
    starts: 200,
    warmUp: 20,
    rounds: 5,
    runs: 1000,
    concurrency: 64,
    scopes: 100,
  },
  smoke: { waiting: [1_000], keys: [1_000], starts: 5, warmUp: 2, rounds: 1, runs: 60, concurrency: 16, scopes: 3 },
  async measure({ waiting, keys, ...sizes }, options) {
    const behindOneKey: Measures = {};
    for (const runs of waiting) behindOneKey[runs] = await besideEmpty({ runs, isSpread: false }, sizes, options);
    const behindKeys: Measures = {};
    for (const runs of keys) behindKeys[runs] = await besideEmpty({ runs, isSpread: true }, sizes, options);
    return { behindOneKey, behindKeys, throughput: await throughput(sizes, options) };
  },
});

interface Backlog {
  runs: number;
  /** Whether each run waits for a slot of its own. */
  isSpread: boolean;
}

interface StartSizes {
  starts: number;
  warmUp: number;
}

/**
 * Measures starts while runs wait for slots: of another workflow, and of the same workflow with
 * free keys. Compares them with starts while no run waits. Two services run side by side and are
 * used in turn, so that other load affects both.
 */
function besideEmpty(backlog: Backlog, sizes: StartSizes, options: StageOptions): Promise<Measures> {
  return onStage(options, (empty) =>
    onStage(options, async (full) => {
      await hold(empty);
      await addWaiting(full.database, { holderId: await hold(full), ...backlog });
      return {
        otherWorkflow: await inTurn(empty, full, { workflow: 'noop', ...sizes }),
        otherKey: await inTurn(empty, full, { workflow: 'narrow', ...sizes }),
      };
    }),
  );
}

/** Starts a run that does not end, in the slot of scope 0. */
export async function hold({ service, database }: Stage): Promise<string> {
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

async function inTurn(
  empty: Stage,
  full: Stage,
  { workflow, starts, warmUp }: StartSizes & { workflow: WorkflowName },
): Promise<Measures> {
  const emptyMs: number[] = [];
  const fullMs: number[] = [];
  for (let turn = 0; turn < warmUp + starts; turn += 1) {
    const scope = 1 + (turn % 10);
    const pair = [await empty.client.runToEnd(workflow, { scope }), await full.client.runToEnd(workflow, { scope })];
    if (turn < warmUp) continue;
    emptyMs.push(pair[0] ?? 0);
    fullMs.push(pair[1] ?? 0);
  }
  return { emptyMs: spread(emptyMs), fullMs: spread(fullMs), times: round(median(fullMs) / median(emptyMs), 2) };
}

export const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

interface ThroughputSizes {
  rounds: number;
  runs: number;
  concurrency: number;
  warmUp: number;
  scopes: number;
}

/** Alternates runs of three steps with and without keys. No key stays full for long. */
function throughput(
  { rounds, runs, concurrency, warmUp, scopes }: ThroughputSizes,
  options: StageOptions,
): Promise<Measures> {
  return onStage(options, async (stage) => {
    const plain: Measures[] = [];
    const keyed: Measures[] = [];
    for (let turn = 0; turn < rounds; turn += 1) {
      plain.push(await burst(stage, { workflow: 'steps3', runs, concurrency, warmUp }));
      keyed.push(await burst(stage, { workflow: 'keyed3', runs, concurrency, warmUp, scopes }));
    }
    const perS = (all: readonly Measures[]): number => (runs * rounds) / sum(all.map(({ doneS }) => Number(doneS)));
    const [plainPerS, keyedPerS] = [perS(plain), perS(keyed)];
    return { plainPerS: round(plainPerS, 1), keyedPerS: round(keyedPerS, 1), share: round(keyedPerS / plainPerS, 2) };
  });
}
