import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { EngineContext } from '../../engine/context.ts';
import { countBudgets } from '../../engine/flow/policies/index.ts';
import type { SourceDeliveryStatus } from '../../engine/webhooks/inbound/index.ts';
import { countWork } from '../../engine/work/index.ts';
import { deliveryMetrics } from './deliveryMetrics.ts';
import { inferenceMetrics } from './inferenceMetrics.ts';

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Sources {
  engine: EngineContext;
  openStreams: () => number;
  addMetrics?: ((registers: Registry[]) => void) | undefined;
}

/**
 * The metrics for Prometheus: the process, the requests by route and status, the open streams, the
 * queue.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Histogram<'method' | 'route' | 'status'>;
  readonly #messages: Counter<'outcome'>;

  constructor({ engine, openStreams, addMetrics }: Sources) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Histogram({
      name: 'holdfast_http_request_seconds',
      help: 'Time from a request’s head to the end of its answer, in seconds.',
      labelNames: ['method', 'route', 'status'],
      buckets: seconds,
      registers,
    });
    this.#messages = new Counter({
      name: 'holdfast_webhook_messages_total',
      help: 'Messages to webhook sources by outcome; `unknown`: no enabled source has the token.',
      labelNames: ['outcome'],
      registers,
    });
    new Gauge({
      name: 'holdfast_sse_streams',
      help: 'Open streams of Server-Sent Events in this process.',
      registers,
      collect() {
        this.set(openStreams());
      },
    });
    queueGauges(engine, registers);
    budgetGauges(engine, registers);
    deliveryMetrics(engine, registers);
    inferenceMetrics(engine, registers);
    addMetrics?.(registers);
  }

  observe(method: string, route: string, status: number, durationMs: number): void {
    this.#requests.observe({ method, route, status }, durationMs / 1000);
  }

  /** Counts an inbound message. Outcomes are a closed list, so a stranger adds no label. */
  countMessage(outcome: SourceDeliveryStatus | 'handshake' | 'unknown'): void {
    this.#messages.inc({ outcome });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

/**
 * The queue is shared, so every process reports the same figures. A single read serves all gauges
 * of a scrape.
 */
function queueGauges(engine: EngineContext, registers: Registry[]): void {
  let reading: ReturnType<typeof countWork> | undefined;
  const read = (): ReturnType<typeof countWork> => {
    reading ??= countWork(engine.db, { now: engine.clock.sql() }).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  new Gauge({
    name: 'holdfast_work_runs',
    help: 'Unfinished runs by the state of their work.',
    labelNames: ['state'],
    registers,
    async collect() {
      const counts = await read();
      this.reset();
      for (const { state, runs } of counts) this.inc({ state }, runs);
    },
  });
  new Gauge({
    name: 'holdfast_work_due_runs',
    help: 'Parked runs that are due, by the state of their work.',
    labelNames: ['state'],
    registers,
    async collect() {
      const counts = await read();
      this.reset();
      for (const { state, due } of counts) this.inc({ state }, due);
    },
  });
  new Gauge({
    name: 'holdfast_gated_runs',
    help: "Runs that wait for a slot of their workflow's concurrency, or for their project's ceiling.",
    labelNames: ['gate'],
    registers,
    async collect() {
      const counts = await read();
      for (const gate of ['slot', 'ceiling']) this.set({ gate }, counts.find((each) => each.gate === gate)?.runs ?? 0);
    },
  });
}

/**
 * The budgets are shared, so every process reports the same figures. A single read serves both
 * gauges.
 */
function budgetGauges(engine: EngineContext, registers: Registry[]): void {
  let reading: ReturnType<typeof countBudgets> | undefined;
  new Gauge({
    name: 'holdfast_budget_workflows',
    help: 'Workflows whose spend has passed the warning or the limit of their budget.',
    labelNames: ['state'],
    registers,
    async collect() {
      reading = countBudgets(engine.db, undefined);
      const [figures] = await reading;
      this.set({ state: 'warned' }, figures?.warned ?? 0);
      this.set({ state: 'exceeded' }, figures?.exceeded ?? 0);
    },
  });
  new Gauge({
    name: 'holdfast_budget_paused_runs',
    help: 'Runs that budgets have paused.',
    registers,
    async collect() {
      const [figures] = await (reading ?? countBudgets(engine.db, undefined));
      this.set(figures?.pausedRuns ?? 0);
    },
  });
}
