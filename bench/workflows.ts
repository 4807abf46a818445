import { setTimeout as delay } from 'node:timers/promises';
import { eventType, type FlowControl, type Holdfast, type StepTools, type WorkflowAddress } from '@holdfast/sdk';

export interface BenchInput {
  /** Unique within a measurement, except for children. */
  i: number;
  /** How long `sleeper` and `leaf` sleep, or each step of `slow` or `narrow` takes. */
  ms?: number;
  /** The number of steps of `sequence` and `parallel`. */
  steps?: number;
  /** Steps of `sequence` that wait at a gate. */
  gates?: number[];
  /** The result of the first step of `sequence`, in bytes. */
  ballast?: number;
  /** The number of children of `tree`, and of each child. */
  branches?: number;
  leaves?: number;
  /** The value for which `waiter` waits, or the model of `ask` and `turns`. */
  match?: string;
  /** The flow-control scope of the run. */
  scope?: number;
}

export const app = 'bench';

/** The event for which `waiter` waits. */
export const wakeEvent = 'bench.wake';

/** Connects the handlers to the process that runs them. */
export interface Host {
  /** Called when a handler has ended, also after a replay. */
  finished: (i: number) => void;
  /** Resolves when a step may continue. */
  gate: (step: number) => Promise<void>;
}

type Work = (input: BenchInput, step: StepTools, host: Host) => Promise<unknown>;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const inARow =
  (count: number, pause: (ms: number | undefined) => Promise<void> = async () => undefined): Work =>
  async ({ i, ms }, step) => {
    for (const number of numbers(count)) {
      await step.run(`s${number}`, async () => {
        await pause(ms);
        return { i, step: number };
      });
    }
  };

const atOnce =
  (count: number): Work =>
  ({ i }, step) =>
    Promise.all(numbers(count).map((number) => step.run(`p${number}`, () => ({ i, step: number }))));

const sequence: Work = async ({ i, steps = 0, gates = [], ballast = 0 }, step, { gate }) => {
  if (ballast > 0) await step.run('ballast', () => 'x'.repeat(ballast));
  for (const number of numbers(steps)) {
    await step.run(`s${number}`, async () => {
      if (gates.includes(number)) await gate(number);
      return { i, step: number };
    });
  }
};

/** Starts the children of a run, one for each number. */
const spawn =
  (workflow: string, count: (input: BenchInput) => number): Work =>
  (input, step) => {
    const address: WorkflowAddress = { app, name: workflow };
    const children = numbers(count(input));
    return Promise.all(children.map((number) => step.runWorkflow(`${workflow}${number}`, address, { data: input })));
  };

const now = (): number => performance.timeOrigin + performance.now();

const seenAt = new Map<number, number>();

/** The instant at which this process asked for a run first: handlers are replayed. */
function firstSeen(i: number): number {
  const at = seenAt.get(i) ?? now();
  seenAt.set(i, at);
  return at;
}

const works = {
  noop: async () => undefined,
  limited: async () => undefined,
  debounced: async () => undefined,
  batched: async () => undefined,
  steps1: inARow(1),
  steps3: inARow(3),
  keyed3: inARow(3),
  narrow: inARow(1, (ms) => (ms === undefined ? Promise.resolve() : delay(ms))),
  seq100: inARow(100),
  fan200: atOnce(200),
  sequence,
  parallel: (input, step, host) => atOnce(input.steps ?? 0)(input, step, host),
  sleeper: ({ ms = 0 }, step) => step.sleep('sleep', ms),
  slow: inARow(20, (ms) => delay(ms)),
  waiter: ({ match = '' }, step) => step.waitForEvent('wait', { event: wakeEvent, if: `event.data.id == "${match}"` }),
  tree: spawn('branch', ({ branches = 0 }) => branches),
  branch: spawn('leaf', ({ leaves = 0 }) => leaves),
  ask: async ({ i, match = '' }, step) => {
    const fromAt = firstSeen(i);
    await step.ai.generate('ask', { provider: 'anthropic', model: match, prompt: `#${i}`, maxTokens: 100 });
    return { fromAt, toAt: now() };
  },
  marked: async ({ i }, step) => {
    await step.run('mark', () => firstSeen(i));
    return { fromAt: firstSeen(i), toAt: now() };
  },
  turns: async ({ match = '', steps = 0 }, step) => {
    for (const turn of numbers(steps)) {
      const request = { provider: 'anthropic', model: match, prompt: `turn ${turn}`, maxTokens: 100 };
      await step.ai.generate(`turn ${turn}`, request);
      await Promise.all(['a', 'b'].map((tool) => step.run(`tool ${turn} ${tool}`, () => ({ turn, tool }))));
    }
  },
  leaf: async ({ ms }, step) => (ms === undefined ? undefined : step.sleep('sleep', ms)),
} as const satisfies Record<string, Work>;

export type WorkflowName = keyof typeof works;

/** Flow control that never drops a start, to measure its own cost. */
const policies: Readonly<Record<string, FlowControl>> = {
  limited: { rateLimit: { limit: 1_000_000, perMs: 1_000, key: 'scope' } },
  debounced: { debounce: { periodMs: 1_000, key: 'scope' } },
  keyed3: { concurrency: { limit: 10, key: 'scope' } },
  narrow: { concurrency: { limit: 1, key: 'scope' } },
  batched: { batch: { maxSize: 100, timeoutMs: 1_000, key: 'scope' } },
};

/** Durable steps per run, if the number does not depend on the input. */
export const stepsOf: Partial<Record<WorkflowName, number>> = {
  steps1: 1,
  steps3: 3,
  keyed3: 3,
  narrow: 1,
  seq100: 100,
  fan200: 200,
  sleeper: 1,
  slow: 20,
};

/** The times that a handler marked; nothing of other results, which may be large. */
const marksOf = (made: unknown): object => (typeof made === 'object' && made !== null && 'toAt' in made ? made : {});

export function defineWorkflows(client: Holdfast, host: Host): void {
  const all: [string, Work][] = Object.entries(works);
  for (const [id, work] of all) {
    client.workflow({ id, triggers: [eventType<BenchInput>(id)], ...policies[id] }, async ({ event, step }) => {
      const made = await work(event.data, step, host);
      host.finished(event.data.i);
      return { i: event.data.i, ...marksOf(made) };
    });
  }
}
