import { setTimeout as delay } from 'node:timers/promises';
import { inspectEnv, liveBytes } from '../heap.ts';
import { HttpClient } from '../httpClient.ts';
import { addHeldCalls } from '../inference/heldCalls.ts';
import { ModelServer } from '../inference/modelServer.ts';
import { plainAgent } from '../inference/plainAgent.ts';
import { Service } from '../service.ts';
import { onStage, type Stage, type StageOptions } from '../stage.ts';
import { type Measures, percentile, round, spread } from '../stats.ts';
import { defineWorkload, limitMs } from './workload.ts';

/**
 * Model calls of the service. Each figure stands beside its yardstick from the same run: an
 * ordinary step, the same loop without durability, runs without calls beside them, an empty table.
 */
export const inference = defineWorkload({
  name: 'inference',
  summary: 'model calls against steps, agents against bare loops, streams in flight, a long queue in a held lane',
  sizes: { runs: 200, agents: 10, turns: 10, streams: 500, streamS: 75, held: 100_000, starts: 200 },
  smoke: { runs: 5, agents: 1, turns: 2, streams: 5, streamS: 3, held: 200, starts: 5 },
  measure: async (sizes, options) => ({
    overhead: await overhead(sizes, options),
    agent50: await againstPlainLoop(sizes, { ms: 50, options }),
    agent500: await againstPlainLoop(sizes, { ms: 500, options }),
    streams: await besideStreams(sizes, options),
    streamsApart: await besideStreamsApart(sizes, options),
    held: await behindHeldLane(sizes, options),
  }),
});

/** The process that calls the models lets its heap be measured there. */
const inspectPort = 9_339;

interface Modelled {
  stage: Stage;
  models: ModelServer;
  http: HttpClient;
  /** Settings of a process that calls the models. */
  env: Record<string, string>;
}

/** A stage whose service reaches a provider on this machine. */
async function modelled(
  options: StageOptions,
  work: (each: Modelled) => Promise<Measures>,
  serviceEnv: Record<string, string> = {},
): Promise<Measures> {
  const models = await ModelServer.start();
  const env = {
    ANTHROPIC_API_KEY: 'sk-bench',
    ANTHROPIC_BASE_URL: models.url,
    INFERENCE_CONCURRENCY: '2000',
    INFERENCE_PROCESS_CONCURRENCY: '2000',
  };
  try {
    return await onStage({ ...options, env: { ...env, ...serviceEnv } }, async (stage) => {
      const http = new HttpClient(stage.service.baseUrl, stage.service.apiKey);
      try {
        return await work({ stage, models, http, env });
      } finally {
        http.close();
      }
    });
  } finally {
    models.stop();
  }
}

interface Marked {
  result: { i: number; fromAt: number; toAt: number };
}

/** Runs a workflow that marks its times, and returns them. */
async function marked({ stage, http }: Modelled, workflow: 'ask' | 'marked', model: string): Promise<Marked['result']> {
  const run = await stage.client.start(workflow, { match: model });
  await stage.client.ended(run);
  return (await http.get<Marked>(`/runs/${run.id}`)).result;
}

/** The time of a call without that of its model, against the time between two passes. */
const overhead = ({ runs }: { runs: number }, options: StageOptions): Promise<Measures> =>
  modelled(options, async (each) => {
    const { out, back, both } = await overheads(each, runs);
    const steps: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const { fromAt, toAt } = await marked(each, 'marked', '');
      steps.push(toAt - fromAt);
    }
    const p50Ratio = round(percentile(both, 50) / percentile(steps, 50));
    return { out: spread(out), back: spread(back), call: spread(both), step: spread(steps), p50Ratio };
  });

interface Overheads {
  /** From the pass to the provider's receipt, in ms. */
  out: number[];
  /** From the provider's last byte to the next pass, in ms. */
  back: number[];
  both: number[];
}

async function overheads(each: Modelled, runs: number): Promise<Overheads> {
  for (let run = 0; run < Math.min(runs, 20); run += 1) await marked(each, 'ask', 'ms-0');
  const times: Overheads = { out: [], back: [], both: [] };
  for (let run = 0; run < runs; run += 1) {
    const { i, fromAt, toAt } = await marked(each, 'ask', 'ms-0');
    const served = (await each.models.report()).calls[String(i)];
    if (!served) throw new Error(`the call of run ${i} was not served`);
    const [out, back] = [served.receivedAt - fromAt, toAt - served.endedAt];
    times.out.push(out);
    times.back.push(back);
    times.both.push(out + back);
  }
  return times;
}

/** Agents of 10 turns with 2 tools each, against the same loop in this process. */
const againstPlainLoop = (
  { agents, turns }: { agents: number; turns: number },
  { ms, options }: { ms: number; options: StageOptions },
): Promise<Measures> =>
  modelled(options, async ({ stage, models }) => {
    const model = `ms-${ms}`;
    await stage.client.runToEnd('turns', { match: model, steps: 1 });
    const durable: number[] = [];
    const plain: number[] = [];
    for (let agent = 0; agent < agents; agent += 1) {
      durable.push(await stage.client.runToEnd('turns', { match: model, steps: turns }));
      plain.push(await plainAgent(models.url, { model, turns }));
    }
    const ratio = percentile(durable, 50) / percentile(plain, 50);
    return { durable: spread(durable), plain: spread(plain), p50Ratio: round(ratio) };
  });

interface StreamSizes {
  streams: number;
  streamS: number;
  runs: number;
}

/** Streams in flight: memory for each, and runs of three steps beside them. */
const besideStreams = (sizes: StreamSizes, options: StageOptions): Promise<Measures> =>
  modelled(options, (each) => measureStreams(each, sizes), inspectEnv(inspectPort));

/** The same, if the calls have a process of their own. */
const besideStreamsApart = (sizes: StreamSizes, options: StageOptions): Promise<Measures> =>
  modelled({ ...options, roles: 'api,dispatcher,scheduler,webhooks' }, async (each) => {
    const { directory, database } = each.stage;
    const { profiling } = options;
    const env = { ...each.env, ...inspectEnv(inspectPort) };
    const caller = await Service.start({ directory, databaseUrl: database.url, roles: 'inference', env, profiling });
    try {
      return await measureStreams(each, sizes);
    } finally {
      await caller.stop();
    }
  });

/** The runs go on until the first streams are about to end. */
async function measureStreams({ stage, models }: Modelled, { streams, streamS, runs }: StreamSizes): Promise<Measures> {
  const beside = async (untilMs: number): Promise<number[]> => {
    const times: number[] = [];
    while (times.length < runs || performance.now() < untilMs) times.push(await stage.client.runToEnd('steps3'));
    return times;
  };
  await beside(0);
  const without = await beside(performance.now() + lastingMs(streamS));
  const idle = await liveBytes(inspectPort);
  await models.forget();
  const firstMs = performance.now();
  const started = Array.from({ length: streams }, () => stage.client.start('ask', { match: `stream-${streamS}` }));
  const all = await Promise.all(started);
  await models.received(streams, limitMs);
  const during = await beside(firstMs + lastingMs(streamS));
  const busy = await liveBytes(inspectPort);
  for (const run of all) await stage.client.ended(run, limitMs);
  return {
    without: spread(without),
    during: spread(during),
    runsDuring: during.length,
    p99Ratio: round(percentile(during, 99) / percentile(without, 99)),
    liveKibPerCall: round((busy - idle) / 1024 / streams, 1),
  };
}

/** All but the last moments of a stream. */
const lastingMs = (streamS: number): number => streamS * 950;

/** The overhead of a call beside a lane with a long queue that the provider holds. */
const behindHeldLane = ({ held, starts }: { held: number; starts: number }, options: StageOptions): Promise<Measures> =>
  modelled(options, async (each) => {
    const { both: empty } = await overheads(each, starts);
    await addHeldCalls(each.stage.database.pool, held);
    await delay(2_000);
    const { both: behind } = await overheads(each, starts);
    const ratio = (p: number): number => round(percentile(behind, p) / percentile(empty, p));
    return { empty: spread(empty), behind: spread(behind), p50Ratio: ratio(50), p99Ratio: ratio(99) };
  });
