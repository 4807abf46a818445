import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { StageOptions } from '../stage.ts';
import { type Measures, percentile, round, spread } from '../stats.ts';
import { hooked, sendTest, subscribe, subscribeOne } from '../webhooks/hooked.ts';
import { againstBareLoop, body } from '../webhooks/rate.ts';
import { addDeliveries, countDue } from '../webhooks/rows.ts';
import { defineWorkload, limitMs } from './workload.ts';

/**
 * Deliveries out and in. Each figure stands beside its yardstick from the same run: bad endpoints
 * against none, a bare loop of requests, an empty queue, `POST /events`. A part whose size is 0 is
 * left out.
 */
export const webhooks = defineWorkload({
  name: 'webhooks',
  summary: 'deliveries beside bad endpoints, against a bare loop, behind a backlog; messages of a source',
  sizes: {
    runs: 100,
    everyMs: 400,
    deliveries: 5_000,
    backlog: 100_000,
    hanging: 1_000,
    hangingS: 240,
    messages: 3_000,
    concurrency: 10,
  },
  smoke: { runs: 3, everyMs: 50, deliveries: 50, backlog: 200, hanging: 5, hangingS: 4, messages: 30, concurrency: 4 },
  measure: async (sizes, options) => ({
    ...(sizes.runs > 0 && { beside: await besideBadOnes(sizes, options) }),
    ...(sizes.deliveries > 0 && {
      rate: await againstBareLoop('ok', sizes, options),
      rateAfter2Ms: await againstBareLoop('late', sizes, options),
    }),
    ...(sizes.backlog > 0 && { backlog: await behindBacklog(sizes, options) }),
    ...(sizes.messages > 0 && { inbound: await againstEvents(sizes, options) }),
    ...(sizes.hanging > 0 && { hanging: await withHangingOnes(sizes, options) }),
  }),
});

/** 100 endpoints, with and without 20 bad ones among them: the time of the healthy ones. */
async function besideBadOnes(sizes: { runs: number; everyMs: number }, options: StageOptions): Promise<Measures> {
  const measure = (healthy: number, bad: number): Promise<Measures> =>
    hooked(options, async (each) => {
      await subscribe(each, 'ok', healthy);
      await subscribe(each, 'hang', bad / 2);
      await subscribe(each, 'error', bad / 2);
      for (let run = 0; run < sizes.runs; run += 1) {
        await Promise.all([each.stage.client.start('noop'), delay(sizes.everyMs)]);
      }
      await each.receiver.received(sizes.runs * healthy, limitMs);
      const { sinceCommitMs } = await each.receiver.report();
      return spread(sinceCommitMs);
    });
  const without = await measure(80, 0);
  const beside = await measure(80, 20);
  return { without, beside, p99Ratio: ratio(beside['p99'], without['p99']) };
}

/** The way of single deliveries to a healthy endpoint, beside a dead one with a long backlog. */
function behindBacklog({ backlog }: { backlog: number }, options: StageOptions): Promise<Measures> {
  return hooked(options, async (each) => {
    const dead = await subscribeOne(each, 'hang');
    const { pool } = each.stage.database;
    await pool.query(`update webhook_endpoint set event_kinds = '{run.failed}' where id = $1`, [dead]);
    await subscribe(each, 'ok', 1);
    const single = async (): Promise<Measures> => {
      await each.receiver.forget();
      for (let run = 0; run < 50; run += 1) await Promise.all([each.stage.client.start('noop'), delay(50)]);
      await delay(2_000);
      return spread((await each.receiver.report()).sinceCommitMs);
    };
    const empty = await single();
    await addDeliveries(pool, { endpointId: dead, count: backlog, payload: body });
    await sendTest(each, dead);
    await delay(3_000);
    const behind = await single();
    return { empty, behind, due: await countDue(pool, dead), p50Ratio: ratio(behind['p50'], empty['p50']) };
  });
}

/** Messages of a source, against events of the same size with the same concurrency. */
function againstEvents({ messages }: { messages: number }, options: StageOptions): Promise<Measures> {
  return hooked(options, async ({ stage, http }) => {
    const source = await http.post<{ token: string; secret: string }>('/webhook-sources', { eventName: 'bench.in' });
    const { baseUrl, apiKey } = stage.service;
    const data = JSON.stringify({ order: 'x'.repeat(300) });
    const event = JSON.stringify({ name: 'bench.in', data: JSON.parse(data) });
    const message = () => {
      const t = String(Math.floor(Date.now() / 1000));
      const s = createHmac('sha256', source.secret).update(`${t}.${data}`).digest('hex');
      return { headers: { 'X-Service-Signature': `t=${t}&s=${s}` }, body: data };
    };
    const toEvents = (): Promise<number> =>
      postMany(`${baseUrl}/events`, messages, () => ({ headers: { authorization: `Bearer ${apiKey}` }, body: event }));
    const toSource = (): Promise<number> => postMany(`${baseUrl}/webhooks/${source.token}`, messages, message);
    await toEvents();
    await toSource();
    const eventsS = await toEvents();
    const sourceS = await toSource();
    const perS = (seconds: number): number => round(messages / seconds, 0);
    return { eventsPerS: perS(eventsS), messagesPerS: perS(sourceS), ratio: round(eventsS / sourceS) };
  });
}

interface Message {
  headers: Record<string, string>;
  body: string;
}

/** Posts from 32 parallel loops. Returns the seconds. Throws unless all are accepted. */
async function postMany(url: string, count: number, message: () => Message): Promise<number> {
  const agent = new Agent({ connections: 32 });
  const startedAt = performance.now();
  let sent = 0;
  const loop = async (): Promise<void> => {
    while (sent < count) {
      sent += 1;
      const { headers, body } = message();
      const all = { ...headers, 'content-type': 'application/json' };
      const answer = await request(url, { method: 'POST', headers: all, body, dispatcher: agent });
      await answer.body.dump();
      if (answer.statusCode !== 202) throw new Error(`${url} answered ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: 32 }, loop));
  await agent.close();
  return (performance.now() - startedAt) / 1000;
}

/** The service's memory while many endpoints hang: the median of each quarter of the time. */
function withHangingOnes(
  { hanging, hangingS }: { hanging: number; hangingS: number },
  options: StageOptions,
): Promise<Measures> {
  return hooked(options, async (each) => {
    await subscribe(each, 'hang', hanging);
    const before = each.stage.memoryMib().service;
    const during: number[] = [];
    for (let second = 0; second < hangingS; second += 1) {
      // New deliveries take the places of those that have timed out, so requests are always open.
      if (second % 10 === 0) await each.stage.client.start('noop');
      await delay(1_000);
      during.push(each.stage.memoryMib().service);
    }
    const quarter = Math.ceil(during.length / 4);
    const medianOf = (n: number): number => round(percentile(during.slice((n - 1) * quarter, n * quarter), 50));
    const mib = { first: medianOf(1), second: medianOf(2), third: medianOf(3), fourth: medianOf(4) };
    return { beforeMib: round(before), ...mib };
  });
}

const ratio = (value: number | Measures | undefined, base: number | Measures | undefined): number =>
  typeof value === 'number' && typeof base === 'number' ? round(value / base) : Number.NaN;
