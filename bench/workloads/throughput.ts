import { HttpClient } from '../httpClient.ts';
import { onStage, type Stage } from '../stage.ts';
import { Receiver } from '../webhooks/receiver.ts';
import { burst } from './burst.ts';
import { defineWorkload } from './workload.ts';

/** With `endpoints`, that many take deliveries of every kind. With `sends` 0 nothing sends them. */
export const throughput = defineWorkload({
  name: 'throughput',
  summary: 'runs of three steps, started as fast as they are accepted, until the last has ended',
  sizes: { runs: 2000, concurrency: 64, warmUp: 200, endpoints: 0, sends: 1 },
  smoke: { runs: 60, concurrency: 16, warmUp: 10 },
  measure: ({ endpoints, sends, ...sizes }, options) =>
    onStage({ ...options, ...(sends === 0 && { roles: 'api,dispatcher,scheduler' }) }, async (stage) => {
      const receiver = endpoints > 0 ? await Receiver.start() : undefined;
      try {
        if (receiver) await subscribe(stage, receiver, endpoints);
        return await burst(stage, { workflow: 'steps3', ...sizes });
      } finally {
        receiver?.stop();
      }
    }),
});

const eventKinds = ['run.succeeded', 'run.failed', 'run.cancelled', 'step.succeeded', 'step.failed', 'step.skipped'];

async function subscribe({ service }: Stage, receiver: Receiver, count: number): Promise<void> {
  const http = new HttpClient(service.baseUrl, service.apiKey);
  try {
    for (let n = 0; n < count; n += 1) {
      await http.post('/webhook-endpoints', { url: receiver.urlOf('ok', n), eventKinds });
    }
  } finally {
    http.close();
  }
}
