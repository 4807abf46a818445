import { setTimeout as delay } from 'node:timers/promises';
import { eventType, type Holdfast, type StepTools } from '@holdfast/sdk';

/** What the bench gives to a run. */
export interface BenchInput {
  /** Unique within a measurement. */
  i: number;
  /** How long `sleeper` sleeps, or each step of `slow` takes. */
  ms?: number;
}

export const app = 'bench';

type Work = (input: BenchInput, step: StepTools) => Promise<unknown>;

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

const works = {
  noop: async () => undefined,
  steps1: inARow(1),
  steps3: inARow(3),
  seq100: inARow(100),
  fan200: atOnce(200),
  sleeper: ({ ms = 0 }, step) => step.sleep('sleep', ms),
  slow: inARow(20, (ms) => delay(ms)),
} as const satisfies Record<string, Work>;

export type WorkflowName = keyof typeof works;

/** Durable steps per run. */
export const stepsOf: Record<WorkflowName, number> = {
  noop: 0,
  steps1: 1,
  steps3: 3,
  seq100: 100,
  fan200: 200,
  sleeper: 1,
  slow: 20,
};

/** Defines what the workloads start. `finished` is called when a handler is through, and again when that is replayed. */
export function defineWorkflows(client: Holdfast, finished: (i: number) => void): void {
  const all: [string, Work][] = Object.entries(works);
  for (const [id, work] of all) {
    client.workflow({ id, triggers: [eventType<BenchInput>(id)] }, async ({ event, step }) => {
      await work(event.data, step);
      finished(event.data.i);
      return { i: event.data.i };
    });
  }
}
