import { setTimeout as delay } from 'node:timers/promises';
import { inspectEnv, liveBytes } from '../heap.ts';
import { HttpClient } from '../httpClient.ts';
import { McpAgent } from '../mcp/agent.ts';
import { besideLists, levels } from '../mcp/load.ts';
import { insertEndedRun } from '../mcp/runs.ts';
import { Service } from '../service.ts';
import { onStage, type Stage, type StageOptions } from '../stage.ts';
import { meteredSettings, StatementMeter } from '../statements.ts';
import { type Measures, percentile, round } from '../stats.ts';
import { cpuSecondsOf, peakMemoryMibOf } from '../usage.ts';
import { inLoops, until } from '../waiting.ts';
import { areAsleep } from './idle.ts';
import { defineWorkload, limitMs } from './workload.ts';

const dayMs = 86_400_000;
const inspectPort = 9_339;
/** All calls of a load are open after this time, in ms. */
const openMs = 5_000;

export const mcp = defineWorkload({
  name: 'mcp',
  summary: 'agent tools beside REST: CPU of reads, a large run, runs beside lists, many calls, calls that wait',
  sizes: { reads: 2_000, rounds: 5, steps: 10_000, runs: 500, calls: 100_000, waiters: 500, settleS: 20 },
  smoke: { reads: 50, rounds: 1, steps: 100, runs: 5, calls: 100, waiters: 10, settleS: 1 },
  measure: ({ reads, rounds, steps, runs, calls, waiters, settleS }, options) =>
    onStage({ ...options, databaseSettings: meteredSettings, env: inspectEnv(inspectPort) }, async (stage) => {
      const agent = new McpAgent(stage.service.baseUrl, stage.service.apiKey);
      const rest = new HttpClient(stage.service.baseUrl, stage.service.apiKey);
      try {
        const parts = { stage, agent, rest };
        const ended = { steps: 3, outputBytes: 100, status: 'succeeded' } as const;
        const id = await insertEndedRun(stage.database, ended);
        return {
          cpu: await cpuOfReads(parts, { id, reads, rounds }),
          largeRun: await largeRun(parts, steps),
          besideLists: await besideLists(stage, agent, runs),
          besideListsApart: await besideListsApart(stage, runs, options),
          levels: await levels(stage, agent, { id, calls, inspectPort }),
          waits: await waits(stage, waiters, settleS),
        };
      } finally {
        agent.close();
        rest.close();
      }
    }),
});

/** The same, if agents have a process of their own: one of the role `api`. */
async function besideListsApart(stage: Stage, runs: number, { profiling }: StageOptions): Promise<Measures> {
  const { directory, database } = stage;
  const apart = await Service.start({ directory, databaseUrl: database.url, roles: 'api', profiling });
  const agent = new McpAgent(apart.baseUrl, stage.service.apiKey);
  try {
    return await besideLists(stage, agent, runs);
  } finally {
    agent.close();
    await apart.stop();
  }
}

interface Parts {
  stage: Stage;
  agent: McpAgent;
  rest: HttpClient;
}

/** CPU of the service's process for one read, in ms; the reads take turns, as machines drift. */
async function cpuOfReads(
  { stage: { service }, agent, rest }: Parts,
  { id, reads, rounds }: { id: string; reads: number; rounds: number },
): Promise<Measures> {
  const kinds: Record<string, () => Promise<unknown>> = {
    restGetRun: () => rest.get(`/runs/${id}`),
    getRun: () => agent.call('get_run', { id }),
    toolsList: () => agent.request('tools/list'),
  };
  const spent = new Map(Object.keys(kinds).map((name) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, read] of Object.entries(kinds)) {
      const before = cpuSecondsOf(service.pid);
      await inLoops(reads, 8, read);
      // The first round warms up.
      if (round > 0) spent.get(name)?.push(((cpuSecondsOf(service.pid) - before) / reads) * 1000);
    }
  }
  const ms = Object.fromEntries([...spent].map(([name, values]) => [name, round(percentile(values, 50), 3)]));
  const base = ms['restGetRun'] ?? Number.NaN;
  return {
    msPerRead: ms,
    ratios: { getRun: round((ms['getRun'] ?? 0) / base), toolsList: round((ms['toolsList'] ?? 0) / base) },
  };
}

/** A page of steps of a large run, beside that of a run with 20 steps. */
async function largeRun({ stage: { service, database }, agent }: Parts, steps: number): Promise<Measures> {
  const small = await insertEndedRun(database, { steps: 20, outputBytes: 3_000, status: 'failed' });
  const large = await insertEndedRun(database, { steps, outputBytes: 3_000, status: 'failed' });
  await database.pool.query('vacuum analyze run_step');
  const ms: Record<string, number> = {};
  const mib: Record<string, number> = {};
  const bytes: Record<string, number> = {};
  for (const [name, id] of [
    ['warm', small],
    ['small', small],
    ['large', large],
    ['smallAgain', small],
  ] as const) {
    const before = peakMemoryMibOf(service.pid);
    const times: number[] = [];
    for (let call = 0; call < 200; call += 1) {
      const startedAt = performance.now();
      bytes[name] = await agent.call('list_run_steps', { id });
      times.push(performance.now() - startedAt);
    }
    ms[name] = round(percentile(times, 50), 2);
    mib[name] = round(peakMemoryMibOf(service.pid) - before, 1);
  }
  return { msPerPage: ms, bytes, peakMibMore: mib, ratio: round((ms['large'] ?? 0) / (ms['small'] ?? 1)) };
}

/** Calls that wait for the end of runs: memory of each, and statements a second. */
async function waits({ service, database, client }: Stage, count: number, settleS: number): Promise<Measures> {
  await client.startMany({ workflow: 'sleeper', runs: count, concurrency: 16, ms: dayMs });
  await until(() => areAsleep(database, count), { limitMs, everyMs: 200, what: `${count} runs asleep` });
  const { rows } = await database.pool.query<{ id: string }>(`select id from run where status = 'waiting'`);
  const ids = rows.map(({ id }) => id);
  const meter = await StatementMeter.start(database);
  const perSecond = async (): Promise<number> => {
    await meter.reset();
    await delay(settleS * 1000);
    return round((await meter.read()).reduce((sum, { calls }) => sum + calls, 0) / settleS);
  };
  const wait = (runs: readonly string[]) => {
    const waiting = new McpAgent(service.baseUrl, service.apiKey);
    const all = Promise.allSettled(runs.map((id) => waiting.call('wait_for_run', { id, timeoutMs: 55_000 })));
    return async () => {
      waiting.close();
      await all;
    };
  };
  const none = await perSecond();
  const endOne = wait(ids.slice(0, 1));
  await delay(openMs);
  const one = await perSecond();
  await endOne();
  // Warms up, so that memory of a first time does not count.
  const endFirst = wait(ids);
  await delay(openMs);
  await endFirst();
  await delay(openMs);
  const without = await liveBytes(inspectPort);
  const end = wait(ids);
  await delay(openMs);
  const many = await perSecond();
  const beside = await liveBytes(inspectPort);
  await end();
  await delay(openMs);
  const after = await liveBytes(inspectPort);
  const kib = (bytes: number): number => round((bytes - without) / 1024 / count, 1);
  return {
    statementsPerSecond: { none, one, many },
    liveKibEach: { waiting: kib(beside), after: kib(after) },
    liveMib: { without: round(without / 2 ** 20, 1), waiting: round(beside / 2 ** 20, 1) },
  };
}
