import { randomUUID } from 'node:crypto';
import { addDispatcher } from '../../src/engine/dispatchers/sql/addDispatcher.ts';
import { claimWork } from '../../src/engine/work/sql/claimWork.ts';
import { addBacklog, type BacklogKind } from '../backlogRows.ts';
import { Client } from '../client.ts';
import { Runner } from '../runner.ts';
import { onStage, type Stage, type StageOptions } from '../stage.ts';
import { type Measures, spread } from '../stats.ts';
import { oneByOne } from './oneByOne.ts';
import { defineWorkload } from './workload.ts';

const hourMs = 3_600_000;
/** Apps apart from the measured one, so that they share no lane. */
const backlogApp = 'backlog';
const claimApp = 'claims';

export const backlog = defineWorkload({
  name: 'backlog',
  summary: 'many runs queued behind a busy runner, stranded without one, or asleep: their cost for other runs',
  sizes: { backlog: [1_000, 100_000, 1_000_000], claims: 500, claimLimit: 10, runs: 200, warmUp: 20, lists: 50 },
  smoke: { backlog: [1_000], claims: 20, claimLimit: 10, runs: 5, warmUp: 2, lists: 5 },
  async measure({ backlog, ...sizes }, options) {
    const measures: Record<string, Measures> = { none: await behind('queued', 0, sizes, options) };
    for (const kind of ['queued', 'stranded', 'asleep'] as const) {
      const byCount: Measures = {};
      for (const count of backlog) byCount[count] = await behind(kind, count, sizes, options);
      measures[kind] = byCount;
    }
    return measures;
  },
});

interface BacklogSizes {
  claims: number;
  claimLimit: number;
  runs: number;
  warmUp: number;
  lists: number;
}

function behind(kind: BacklogKind, count: number, sizes: BacklogSizes, options: StageOptions): Promise<Measures> {
  return onStage(options, async (stage) => {
    const runners = [await occupy(stage, claimApp, options)];
    try {
      const owner = await occupy(stage, backlogApp, options);
      if (kind === 'stranded') await owner.kill();
      else runners.push(owner);
      await addBacklog(stage.database, kind, { app: backlogApp, workflow: 'sleeper' }, count);
      return await pay(stage, sizes);
    } finally {
      await Promise.all(runners.map((runner) => runner.kill()));
    }
  });
}

/** A runner whose only slot is held by a run that does not end, so further runs stay queued. */
async function occupy({ service }: Stage, app: string, { profiling }: StageOptions): Promise<Runner> {
  const { baseUrl, apiKey } = service;
  const runner = await Runner.start({ baseUrl, apiKey, app, maxInFlight: 1 }, profiling);
  const client = new Client(service, () => 0);
  await client.start('slow', { app, ms: hourMs });
  client.close();
  return runner;
}

async function pay(stage: Stage, { claims, claimLimit, runs, warmUp, lists }: BacklogSizes): Promise<Measures> {
  const startMs = await oneByOne(stage.client, { workflow: 'noop', runs, warmUp });
  const listMs: number[] = [];
  for (let list = 0; list < lists; list += 1) listMs.push(await stage.client.listRuns());
  return { claimMs: await claim(stage, claims, claimLimit), startMs, listMs: spread(listMs) };
}

/** Claims from a lane of its own with the service's own statement. */
async function claim({ database }: Stage, claims: number, limit: number): Promise<Measures> {
  const laneId = await addBacklog(database, 'queued', { app: claimApp, workflow: 'steps1' }, claims * limit);
  const dispatcherId = randomUUID();
  // The dispatcher has no heartbeat, so its start lies in the future.
  await addDispatcher(database.pool, { id: dispatcherId, now: new Date(Date.now() + hourMs) });
  const ms: number[] = [];
  const emptyMs: number[] = [];
  for (let turn = 0; turn < claims * 2; turn += 1) {
    const startedAt = performance.now();
    const rows = await claimWork(database.pool, { dispatcherId, demands: [{ laneId, limit }], now: null });
    (rows.length > 0 ? ms : emptyMs).push(performance.now() - startedAt);
  }
  if (ms.length !== claims) throw new Error(`${ms.length} claims found runs, not ${claims}`);
  return { [`of${limit}`]: spread(ms), empty: spread(emptyMs) };
}
