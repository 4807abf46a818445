import { difference, eachProcess, perThousand } from '../byProcess.ts';
import { examine } from '../doctor.ts';
import { onStage, type Stage, type StageOptions } from '../stage.ts';
import { meteredSettings, StatementMeter } from '../statements.ts';
import { type Measures, round } from '../stats.ts';
import { until } from '../waiting.ts';
import { defineWorkload, limitMs } from './workload.ts';

const dayMs = 86_400_000;

export const tree = defineWorkload({
  name: 'tree',
  summary:
    'a run with children that have children: the time until all have ended, and until all are cancelled while the leaves sleep',
  sizes: { branches: [10, 100], leaves: 100 },
  smoke: { branches: [2, 4], leaves: 5 },
  async measure({ branches, leaves }, options) {
    const byRuns: Measures = {};
    for (const each of branches)
      byRuns[sizeOf({ branches: each, leaves })] = await grow({ branches: each, leaves }, options);
    return byRuns;
  },
});

interface Shape {
  branches: number;
  leaves: number;
}

const sizeOf = ({ branches, leaves }: Shape): number => 1 + branches + branches * leaves;

function grow(shape: Shape, options: StageOptions): Promise<Measures> {
  return onStage({ ...options, databaseSettings: meteredSettings }, async (stage) => {
    await stage.client.runToEnd('tree', { branches: 2, leaves: 10 });
    const toTheEnd = await finishAll(stage, shape);
    const cancelled = await cancelAll(stage, shape);
    await examine(stage);
    return { toTheEnd, cancelled };
  });
}

async function finishAll(stage: Stage, shape: Shape): Promise<Measures> {
  const { client, database } = stage;
  const runs = sizeOf(shape);
  const before = await countRuns(stage, 'succeeded');
  const costs = await metered(stage, runs, async () => client.ended(await client.start('tree', { ...shape }), limitMs));
  const succeeded = (await countRuns(stage, 'succeeded')) - before;
  if (succeeded !== runs) throw new Error(`${succeeded} of ${runs} runs succeeded`);
  const { rows } = await database.pool.query<{ passes: number }>(
    `select count(*)::float8 / $1 as passes from run_frame
     where run_id in (select id from run where workflow = 'branch' order by created_at desc limit $1)
       and kind = 'run_status' and payload ->> 'status' = 'running'`,
    [shape.branches],
  );
  return { ...costs, claimsPerBranch: round(rows[0]?.passes ?? Number.NaN) };
}

async function cancelAll(stage: Stage, shape: Shape): Promise<Measures> {
  const { client } = stage;
  const runs = sizeOf(shape);
  const { id } = await client.start('tree', { ...shape, ms: dayMs });
  await until(() => areParked(stage, runs), { limitMs, what: `${runs} runs parked` });
  let answerMs = 0;
  const costs = await metered(stage, runs, async () => {
    const startedAt = performance.now();
    await client.cancel(id);
    answerMs = performance.now() - startedAt;
    await until(() => areParked(stage, 0), { limitMs, what: 'all runs cancelled' });
  });
  const cancelled = await countRuns(stage, 'cancelled');
  if (cancelled !== runs) throw new Error(`${cancelled} of ${runs} runs were cancelled`);
  return { answerMs: round(answerMs), ...costs };
}

/** The duration of `work` on this many runs, and its cost per run. */
async function metered(stage: Stage, runs: number, work: () => Promise<void>): Promise<Measures> {
  const meter = await StatementMeter.start(stage.database);
  const cpuBefore = stage.cpuSeconds();
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuS = difference(stage.cpuSeconds(), cpuBefore);
  return {
    seconds: round(seconds),
    runsPerS: round(runs / seconds, 1),
    cpuSPer1000Runs: perThousand(cpuS, runs),
    perRun: await meter.per(runs),
    memoryMib: { ...eachProcess(stage.memoryMib(), Math.round) },
  };
}

async function countRuns({ database }: Stage, status: string): Promise<number> {
  const { rows } = await database.pool.query<{ runs: number }>(
    'select count(*)::int as runs from run where status = $1',
    [status],
  );
  return rows[0]?.runs ?? 0;
}

/** Whether all unfinished runs are parked, and are this many. */
async function areParked({ database }: Stage, runs: number): Promise<boolean> {
  const { rows } = await database.pool.query<{ parked: number; all: number }>(
    `select count(*) filter (where state = 'parked')::int as parked, count(*)::int as all from run_work`,
  );
  return rows[0]?.parked === runs && rows[0].all === runs;
}
