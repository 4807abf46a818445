import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { StageOptions } from '../stage.ts';
import { type Measures, round } from '../stats.ts';
import { cpuSecondsOf } from '../usage.ts';
import { limitMs } from '../workloads/workload.ts';
import { type Hooked, hooked, sendTest, subscribeOne } from './hooked.ts';
import type { Behaviour } from './receiver.ts';
import { addDeliveries } from './rows.ts';

/** A body without an instant, so that the receiver measures nothing. */
export const body = JSON.stringify({ id: 'x', kind: 'run.succeeded', run: { id: 'x', result: 'y'.repeat(300) } });

interface RateSizes {
  deliveries: number;
  concurrency: number;
}

/**
 * Deliveries to one endpoint, against bare requests of the same body with the same concurrency.
 * Beside both rates stands the CPU of each process, in microseconds per request.
 */
export const againstBareLoop = (behaviour: Behaviour, sizes: RateSizes, options: StageOptions): Promise<Measures> =>
  hooked(options, async (each) => {
    const { stage, receiver } = each;
    const endpointId = await subscribeOne(each, behaviour);
    const bare = (): Promise<number> => bareLoop(receiver.urlOf(behaviour, 'bare'), sizes);
    await bare();
    const bareUse = await metered(each, sizes, bare);
    await receiver.forget();
    await addDeliveries(stage.database.pool, { endpointId, count: sizes.deliveries, payload: body });
    const ourUse = await metered(each, sizes, async () => {
      const startedAt = performance.now();
      await sendTest(each, endpointId);
      await receiver.received(sizes.deliveries, limitMs);
      return (performance.now() - startedAt) / 1000;
    });
    return {
      barePerS: bareUse.perS,
      deliveriesPerS: ourUse.perS,
      ratio: round(ourUse.perS / bareUse.perS),
      bareCpuUs: bareUse.cpuUs,
      cpuUs: ourUse.cpuUs,
    };
  });

/** The rate of some work, and the CPU of each process per request in microseconds. */
async function metered({ stage, receiver }: Hooked, { deliveries }: RateSizes, work: () => Promise<number>) {
  // Work of the preparation is over by then.
  await delay(1_000);
  const use = () => ({ ...stage.cpuSeconds(), receiver: cpuSecondsOf(receiver.pid) });
  const before = use();
  const seconds = await work();
  const after = use();
  const us = (name: keyof typeof after): number => round(((after[name] - before[name]) / deliveries) * 1e6, 0);
  const cpuUs = { service: us('service'), database: us('database'), receiver: us('receiver'), client: us('client') };
  return { perS: round(deliveries / seconds, 0), cpuUs };
}

/** Sends one request after the other in parallel loops. Returns the seconds. */
async function bareLoop(url: string, { deliveries, concurrency }: RateSizes): Promise<number> {
  const agent = new Agent({ connections: concurrency });
  const startedAt = performance.now();
  let sent = 0;
  const loop = async (): Promise<void> => {
    while (sent < deliveries) {
      sent += 1;
      const answer = await request(url, { method: 'POST', body, dispatcher: agent });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  await agent.close();
  return (performance.now() - startedAt) / 1000;
}
