import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { EngineContext } from '../../engine/context.ts';
import type { SourceDeliveryStatus } from '../../engine/webhooks/inbound/index.ts';
import { deliveryMetrics } from './deliveryMetrics.ts';
import { inferenceMetrics } from './inferenceMetrics.ts';
import { connectionMetrics, eventMetrics, passMetrics, timerMetrics } from './processMetrics.ts';
import { budgetMetrics, queueMetrics } from './queueMetrics.ts';
import { workflowMetrics } from './workflowMetrics.ts';

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The age of figures from the database, in ms. */
const figuresMs = 5_000;

interface Sources {
  engine: EngineContext;
  openStreams: () => number;
  /** Adds metrics of other surfaces. */
  addMetrics?: ((registers: Registry[]) => void) | undefined;
  /** How old figures from the database may be, in ms. Default: 5 s. */
  maxAgeMs?: number | undefined;
}

/** Metrics that belong together. The reference page has a section for each group. */
export interface MetricGroup {
  title: string;
  /** The roles whose processes have figures other than 0. */
  seenBy: string;
  add(registers: Registry[]): void;
}

const everyRole = 'every role, with the same figures: they are read from the database';

/** The groups whose figures are the same for every caller. */
function sharedGroups({ engine, maxAgeMs = figuresMs }: Pick<Sources, 'engine' | 'maxAgeMs'>): MetricGroup[] {
  return [
    { title: 'Passes and runners', seenBy: '`dispatcher`', add: (registers) => passMetrics(engine, registers) },
    { title: 'Timers and schedules', seenBy: '`scheduler`', add: (registers) => timerMetrics(engine, registers) },
    {
      title: 'Events',
      seenBy: '`api`; `dispatcher` for events that runs emit',
      add: (registers) => eventMetrics(engine, registers),
    },
    { title: 'The queue', seenBy: everyRole, add: (registers) => queueMetrics(engine, maxAgeMs, registers) },
    { title: 'Budgets', seenBy: everyRole, add: (registers) => budgetMetrics(engine, maxAgeMs, registers) },
    {
      title: 'Webhook deliveries',
      seenBy: '`webhooks`; every role for due deliveries and disabled endpoints, which are read from the database',
      add: (registers) => deliveryMetrics(engine, maxAgeMs, registers),
    },
    { title: 'Model calls', seenBy: '`inference`', add: (registers) => inferenceMetrics(engine, registers) },
    { title: 'Database connections', seenBy: 'every role', add: (registers) => connectionMetrics(engine, registers) },
  ];
}

const workflowGroup = (engine: EngineContext, projectId: string | undefined): MetricGroup => ({
  title: 'Runs',
  seenBy: 'the process that committed the change: `api`, `dispatcher`, `scheduler`',
  add: (registers) => workflowMetrics(engine, projectId, registers),
});

/** All groups, for the reference page. */
export const metricGroups = (engine: EngineContext): MetricGroup[] => [
  { title: 'Requests', seenBy: '`api`', add: (registers) => void requestMetrics(() => 0, registers) },
  workflowGroup(engine, undefined),
  ...sharedGroups({ engine }),
];

/**
 * The metrics for Prometheus: the process, the requests by route and status, the open streams, the
 * queue, and the runs.
 */
export class Metrics {
  readonly #engine: EngineContext;
  readonly #registry = new Registry();
  readonly #requests: ReturnType<typeof requestMetrics>;

  constructor({ engine, openStreams, addMetrics, maxAgeMs }: Sources) {
    this.#engine = engine;
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = requestMetrics(openStreams, registers);
    for (const group of sharedGroups({ engine, maxAgeMs })) group.add(registers);
    addMetrics?.(registers);
  }

  observe(method: string, route: string, status: number, durationMs: number): void {
    this.#requests.durations.observe({ method, route, status }, durationMs / 1000);
  }

  /** Counts an inbound message. Outcomes are a closed list, so a stranger adds no label. */
  countMessage(outcome: SourceDeliveryStatus | 'handshake' | 'unknown'): void {
    this.#requests.messages.inc({ outcome });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** With a project, the text names only the workflows of this project. */
  async text(projectId: string | undefined): Promise<string> {
    const ofWorkflows = new Registry();
    workflowGroup(this.#engine, projectId).add([ofWorkflows]);
    return (await this.#registry.metrics()) + (await ofWorkflows.metrics());
  }
}

function requestMetrics(openStreams: () => number, registers: Registry[]) {
  const durations = new Histogram({
    name: 'holdfast_http_request_seconds',
    help: 'Time from a request’s head to the end of its answer, in seconds.',
    labelNames: ['method', 'route', 'status'],
    buckets: seconds,
    registers,
  });
  const messages = new Counter({
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
  return { durations, messages };
}
