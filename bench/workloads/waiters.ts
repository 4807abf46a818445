import { difference, perThousand } from '../byProcess.ts';
import { examine } from '../doctor.ts';
import { letSettle } from '../rows.ts';
import { onStage, type Stage, type StageOptions } from '../stage.ts';
import { meteredSettings, StatementMeter } from '../statements.ts';
import { type Measures, round, spread } from '../stats.ts';
import { addWaiters, together } from '../waiterRows.ts';
import { until } from '../waiting.ts';
import { app, wakeEvent } from '../workflows.ts';
import { defineWorkload, limitMs } from './workload.ts';

export const waiters = defineWorkload({
  name: 'waiters',
  summary:
    'many runs wait for one event by different values: the cost of an event that wakes one, none, or a tenth of them',
  sizes: { waiters: [1_000, 100_000], runs: 500, misses: 500, warmUp: 50 },
  smoke: { waiters: [100], runs: 5, misses: 5, warmUp: 2 },
  async measure({ waiters, ...sizes }, options) {
    const byWaiters: Measures = {};
    for (const count of waiters) byWaiters[count] = await among(count, sizes, options);
    return byWaiters;
  },
});

interface WaiterSizes {
  runs: number;
  misses: number;
  warmUp: number;
}

/** Every tenth of the added waiters waits for the same value. */
const togetherEvery = 10;

function among(waiting: number, { runs, misses, warmUp }: WaiterSizes, options: StageOptions): Promise<Measures> {
  return onStage({ ...options, databaseSettings: meteredSettings }, async (stage) => {
    await addWaiters(stage.database, { app, workflow: 'waiter' }, { runs: waiting, togetherEvery });
    const others = await startWaiters(stage, warmUp + runs);
    await until(() => areWaiting(stage, waiting + others.length), { limitMs, what: 'all runs waiting' });
    await letSettle(stage.database);
    for (const other of others.slice(0, warmUp)) await wake(stage, other);
    const one = await wakeEach(stage, others.slice(warmUp));
    const none = await wakeNobody(stage, misses);
    const many = await wakeTogether(stage, Math.floor(waiting / togetherEvery));
    await examine(stage);
    return { one, none, many };
  });
}

interface Waiter {
  id: string;
  i: number;
  match: string;
}

async function startWaiters({ client }: Stage, runs: number): Promise<Waiter[]> {
  const started: Waiter[] = [];
  const loop = async (): Promise<void> => {
    for (let next = started.length; next < runs; next = started.length) {
      const waiter = { id: '', i: -1, match: `run-${next}` };
      started.push(waiter);
      Object.assign(waiter, await client.start('waiter', { match: waiter.match }));
    }
  };
  await Promise.all(Array.from({ length: 16 }, loop));
  return started;
}

/** Milliseconds from the event to its answer, and to the end of the run that it wakes. */
async function wake({ client }: Stage, { match, ...run }: Waiter): Promise<{ answerMs: number; endMs: number }> {
  const startedAt = performance.now();
  const answer = client.send(wakeEvent, { id: match }).then((woke) => {
    if (woke !== 1) throw new Error(`the event for ${match} woke ${woke} runs`);
    return performance.now() - startedAt;
  });
  await client.ended(run);
  const endMs = performance.now() - startedAt;
  return { answerMs: await answer, endMs };
}

async function wakeEach(stage: Stage, each: readonly Waiter[]): Promise<Measures> {
  const meter = await StatementMeter.start(stage.database);
  const cpuBefore = stage.cpuSeconds();
  const times: Awaited<ReturnType<typeof wake>>[] = [];
  for (const waiter of each) times.push(await wake(stage, waiter));
  const cpuS = difference(stage.cpuSeconds(), cpuBefore);
  return {
    answerMs: spread(times.map(({ answerMs }) => answerMs)),
    toTheEndMs: spread(times.map(({ endMs }) => endMs)),
    cpuSPer1000Events: perThousand(cpuS, each.length),
    perEvent: await meter.per(each.length),
  };
}

async function wakeNobody(stage: Stage, events: number): Promise<Measures> {
  const meter = await StatementMeter.start(stage.database);
  const cpuBefore = stage.cpuSeconds();
  const answerMs: number[] = [];
  for (let event = 0; event < events; event += 1) {
    const startedAt = performance.now();
    await stage.client.send(wakeEvent, { id: `nobody-${event}` });
    answerMs.push(performance.now() - startedAt);
  }
  const cpuS = difference(stage.cpuSeconds(), cpuBefore);
  return {
    answerMs: spread(answerMs),
    cpuSPer1000Events: perThousand(cpuS, events),
    perEvent: await meter.per(events),
  };
}

async function wakeTogether(stage: Stage, runs: number): Promise<Measures> {
  const unfinished = await countWork(stage);
  const cpuBefore = stage.cpuSeconds();
  const startedAt = performance.now();
  const woke = await stage.client.send(wakeEvent, { id: together });
  const answeredS = (performance.now() - startedAt) / 1000;
  if (woke !== runs) throw new Error(`the event for ${runs} runs woke ${woke}`);
  await until(async () => (await countWork(stage)) === unfinished - runs, { limitMs, what: `${runs} runs ended` });
  const endedS = (performance.now() - startedAt) / 1000;
  const cpuS = difference(stage.cpuSeconds(), cpuBefore);
  return { runs, answeredS: round(answeredS), endedS: round(endedS), cpuSPer1000Runs: perThousand(cpuS, runs) };
}

async function countWork({ database }: Stage): Promise<number> {
  const { rows } = await database.pool.query<{ runs: number }>('select count(*)::int as runs from run_work');
  return rows[0]?.runs ?? 0;
}

async function areWaiting({ database }: Stage, runs: number): Promise<boolean> {
  const { rows } = await database.pool.query<{ waits: number }>('select count(*)::int as waits from run_wait');
  return rows[0]?.waits === runs;
}
