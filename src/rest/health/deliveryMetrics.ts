import { Counter, Gauge, type Registry } from 'prom-client';
import type { EngineContext } from '../../engine/context.ts';
import { countDeliveries, countedDue, tallyOf } from '../../engine/webhooks/queue/index.ts';
import { SharedRead } from './sharedRead.ts';

/**
 * Metrics of webhook deliveries. Attempts and requests are those of this process. The queue is
 * shared, so every process reports the same figures for it; a single read serves them.
 */
export function deliveryMetrics(engine: EngineContext, maxAgeMs: number, registers: Registry[]): void {
  const tally = tallyOf(engine);
  new Counter({
    name: 'holdfast_webhook_attempts_total',
    help: 'Attempts of webhook deliveries by this process, by their outcome.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, attempts] of tally.attempts) this.inc({ outcome }, attempts);
    },
  });
  new Counter({
    name: 'holdfast_webhook_endpoints_disabled_total',
    help: 'Webhook endpoints that this process disabled because they kept failing.',
    registers,
    collect() {
      this.reset();
      this.inc(tally.disabled);
    },
  });
  new Gauge({
    name: 'holdfast_webhook_requests',
    help: 'Requests to webhook endpoints in flight in this process.',
    registers,
    collect() {
      this.set(tally.inFlight);
    },
  });
  dueMetrics(engine, maxAgeMs, registers);
}

function dueMetrics(engine: EngineContext, maxAgeMs: number, registers: Registry[]): void {
  const deliveries = new SharedRead(maxAgeMs, () => countDeliveries(engine.db, { now: engine.clock.sql() }));
  const read = async () => {
    const [figures] = await deliveries.get();
    return figures;
  };
  new Gauge({
    name: 'holdfast_webhook_due_deliveries',
    help: `Webhook deliveries that are due and not being attempted, counted up to ${countedDue}.`,
    registers,
    async collect() {
      this.set((await read())?.due ?? 0);
    },
  });
  new Gauge({
    name: 'holdfast_webhook_due_seconds',
    help: 'How long the first due webhook delivery has been waiting, in seconds.',
    registers,
    async collect() {
      this.set(((await read())?.dueForMs ?? 0) / 1000);
    },
  });
  new Gauge({
    name: 'holdfast_webhook_disabled_endpoints',
    help: 'Webhook endpoints that are disabled because they kept failing.',
    registers,
    async collect() {
      this.set((await read())?.disabledEndpoints ?? 0);
    },
  });
}
