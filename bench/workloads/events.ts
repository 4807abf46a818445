import { difference, perThousand } from '../byProcess.ts';
import { onStage, type Stage } from '../stage.ts';
import { round, spread } from '../stats.ts';
import { until } from '../waiting.ts';
import { defineWorkload, limitMs } from './workload.ts';

export const events = defineWorkload({
  name: 'events',
  summary: 'events that start and wake nobody: how fast they are accepted, and when all are delivered',
  sizes: { events: 10_000, concurrency: 64, warmUp: 500 },
  smoke: { events: 60, concurrency: 16, warmUp: 10 },
  measure: ({ events, concurrency, warmUp }, options) =>
    onStage(options, async (stage) => {
      await sendMany(stage, warmUp, concurrency);
      const cpuBefore = stage.cpuSeconds();
      const startedAt = performance.now();
      const acceptMs = await sendMany(stage, events, concurrency);
      const acceptedS = (performance.now() - startedAt) / 1000;
      await until(() => areDelivered(stage), { limitMs, everyMs: 5, what: `${events} events delivered` });
      const deliveredS = (performance.now() - startedAt) / 1000;
      const cpuS = difference(stage.cpuSeconds(), cpuBefore);
      return {
        acceptedPerS: round(events / acceptedS, 1),
        deliveredS: round(deliveredS, 3),
        acceptMs: spread(acceptMs),
        cpuSPer1000Events: perThousand(cpuS, events),
      };
    }),
});

/** How long each took, in ms. */
async function sendMany({ client }: Stage, events: number, concurrency: number): Promise<number[]> {
  const acceptMs: number[] = [];
  let sent = 0;
  const loop = async (): Promise<void> => {
    while (sent < events) {
      sent += 1;
      const at = performance.now();
      await client.send('bench.noted', { i: sent });
      acceptMs.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return acceptMs;
}

async function areDelivered({ database }: Stage): Promise<boolean> {
  const { rows } = await database.pool.query<{ any: boolean }>('select exists (select from event_pending) as any');
  return rows[0]?.any === false;
}
