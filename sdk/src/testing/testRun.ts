import { type Duration, durationMs } from '../duration.ts';
import type { EventData, EventType } from '../eventType.ts';
import { instantMs } from '../instant.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { encodeJson } from '../json/encode.ts';
import { type FieldsOf, refuseUnknown } from '../knownFields.ts';
import { checkFields, MisuseError } from '../misuse.ts';
import type { AnyWorkflow, Workflow } from '../workflow.ts';
import type { RunLimits } from './decide.ts';
import { executing } from './events.ts';
import { Fakes } from './fakes.ts';
import { type GuardFakes, Guards } from './guards.ts';
import type { SentMessage } from './incoming.ts';
import type { Run } from './run.ts';
import { startOf } from './startOf.ts';
import type { Question } from './state.ts';
import { TestedRun } from './testedRun.ts';
import { World } from './world.ts';

/** The event that starts a run. Its data has the type of the workflow's triggers. */
export type StartEvent<Input = unknown> = EventData<Input> & {
  /** Default: the event of the first trigger. Required if that name ends in `*`. */
  name?: string | undefined;
  /** As if its webhook source exposed them. Names in lower case. */
  headers?: Readonly<Record<string, string>> | undefined;
};

/** The options of `testRun`. A run starts by `event`, `events`, `input` or `cron`; one of them. */
export interface TestRunOptions<Input = unknown> {
  /** Default: an event of the first trigger, without data. */
  event?: StartEvent<Input> | undefined;
  /** The events of a batched run. */
  events?: readonly StartEvent<Input>[] | undefined;
  /** Starts the run by hand, as `workflows.trigger` does. */
  input?: Input | undefined;
  /** Starts the run as its schedule does. */
  cron?: boolean | undefined;
  /**
   * What takes the place of steps, by name: a value, a function, or an `Error` to throw. See
   * `perAttempt`. A model call needs its answer here. Steps without a fake run their bodies.
   */
  steps?: Readonly<Record<string, unknown>> | undefined;
  /** Further workflows, which child runs and events of the run may start. */
  workflows?: readonly AnyWorkflow[] | undefined;
  /** What takes the place of child runs, by the name of their workflow: as `steps`. */
  children?: Readonly<Record<string, unknown>> | undefined;
  /** Guards as functions, by their text: for tests without the library of CEL. */
  guards?: GuardFakes | undefined;
  /** The virtual time at the start. Default: the first of January 2026, UTC. */
  now?: Date | number | string | undefined;
  tags?: Readonly<Record<string, string>> | undefined;
  session?: string | undefined;
  /** Default: 20000, as the service has it. */
  maxSteps?: number | undefined;
}

const optionFields: FieldsOf<TestRunOptions> = {
  event: true,
  events: true,
  input: true,
  cron: true,
  steps: true,
  workflows: true,
  children: true,
  guards: true,
  now: true,
  tags: true,
  session: true,
  maxSteps: true,
};

/** An event that a test sends. Its data has the type of its event type. */
export type TestEvent<Sent = unknown> = { name: EventType<unknown, string, Sent> | string } & EventData<Sent> &
  Omit<SentMessage, 'name' | 'data'>;

/** A decision about an approval. */
export interface TestDecision {
  status: 'approved' | 'denied';
  /** Arguments that replace the proposed ones. */
  args?: unknown;
  /** The step that asked. Needed if several questions are open. */
  step?: string | undefined;
  /** The run that asked. Default: this run, or else any other one of the test. */
  runId?: string | undefined;
  /** Default: `test`. */
  decidedBy?: string | undefined;
}

const defaultNow = '2026-01-01T00:00:00.000Z';
const limits: RunLimits = { stepsPerRun: 20_000, passesAstray: 20, memoMaxBytes: 32 * 1024 * 1024 };

/**
 * Runs a workflow in this process, without a service, in virtual time. Resolves when the run has
 * ended, or rests until something happens.
 *
 * @example
 * ```ts
 * const steps = { 'charge card': { id: 'ch_1' } };
 * const t = await testRun(fulfil, { event: { data: order }, steps });
 * await t.advance('7d');
 * expect(t.result).toEqual({ parcel: 'p1' });
 * ```
 */
export async function testRun<Input, Result>(
  workflow: Workflow<Input, Result>,
  options: TestRunOptions<Input> = {},
): Promise<TestRun<Result>> {
  refuseUnknown(options, optionFields, 'the options of testRun');
  const guards = new Guards(options.guards);
  const others = (options.workflows ?? []).filter((each) => each !== workflow);
  const workflows: AnyWorkflow[] = [workflow, ...others].sort(
    (a, b) => compare(a.app, b.app) || compare(a.name, b.name),
  );
  const world = new World({
    ...{ workflows, guards, nowMs: instantMs(options.now ?? defaultNow, 'now of testRun') },
    ...{ steps: new Fakes(options.steps), children: new Fakes(options.children) },
    limits: { ...limits, ...(options.maxSteps !== undefined && { stepsPerRun: options.maxSteps }) },
  });
  await world.prepare();
  const { tags, session } = options;
  const start = { ...startOf(workflow, asDeclared(options), world), tags, session };
  const t = new TestRun<Result>(world.state.begin(executing(workflow), start), world);
  await world.settle();
  return t;
}

/** A run under test. The clock stands still except in `advance` and `advanceTo`. */
export class TestRun<Result = unknown> extends TestedRun<Result> {
  readonly #world: World;

  constructor(run: Run, world: World) {
    super(run, world);
    this.#world = world;
  }

  /** The virtual time. */
  get now(): Date {
    return new Date(this.#world.state.nowMs);
  }

  /**
   * The fakes of steps and children that nothing has used so far, by name. A test that takes each
   * branch compares it with `[]`, so that no misspelt name goes unnoticed.
   */
  get unusedFakes(): string[] {
    return this.#world.unusedFakes;
  }

  /** All other runs: children, those that events started, and those of `onFailure`. */
  get runs(): TestedRun[] {
    const others = this.#world.state.runs.filter(({ id }) => id !== this.id);
    return others.map((run) => new TestedRun(run, this.#world));
  }

  /** Moves the clock on, and executes what becomes due on the way, in order. */
  async advance(duration: Duration): Promise<void> {
    await this.#world.advanceTo(this.#world.state.nowMs + durationMs(duration, 'the duration'));
  }

  /** Moves the clock on to an instant. Throws if it has passed. */
  async advanceTo(instant: Date | number | string): Promise<void> {
    const ms = instantMs(instant, 'the instant');
    if (ms < this.#world.state.nowMs) {
      throw new MisuseError(
        `it is ${this.now.toISOString()} already, and time goes on only: ${new Date(ms).toISOString()} is past`,
      );
    }
    await this.#world.advanceTo(ms);
  }

  /**
   * Sends an event as `events.send` does: it starts workflows, wakes runs that wait for it, and
   * cancels runs. Throws an `EventSchemaError` for data that its type does not allow.
   */
  async send<Sent = unknown>(event: TestEvent<Sent>): Promise<{ eventId: string; runIds: string[]; woke: number }> {
    checkFields(event, "send needs one event, such as { name: 'order.paid', data: … }");
    const sent = this.#world.events.send(asDeclared(event));
    await this.#world.settle();
    return sent;
  }

  /** Decides an open approval. Throws if none is open, or if several are and it names none. */
  async decide({ status, args, step, runId, decidedBy = 'test' }: TestDecision): Promise<void> {
    const editedArgs = status === 'approved' ? encodeJson(args) : undefined;
    this.#world.state.decide(this.#question({ step, runId }), status, { decidedBy, decidedVia: 'api', editedArgs });
    await this.#world.settle();
  }

  #question({ step, runId }: Pick<TestDecision, 'step' | 'runId'>): Question {
    const open = this.#world.state.questions
      .filter(({ status }) => status === 'pending' || status === 'escalated')
      .filter((each) => (step === undefined || each.step === step) && (runId === undefined || each.run.id === runId));
    const own = open.filter(({ run }) => run.id === this.id);
    const [question, ...others] = own.length > 0 ? own : open;
    if (question === undefined)
      throw new MisuseError(`no approval is open${step === undefined ? '' : ` in step "${step}"`}`);
    if (others.length === 0) return question;
    const names = [question, ...others].map((each) => `"${each.step}" of ${each.run.id}`).join(', ');
    throw new MisuseError(`several approvals are open: name the step or the run, one of ${names}`);
  }

  /** Cancels a run, as `runs.cancel` does, with its unfinished children. Default: this run. */
  async cancel(runId = this.id): Promise<void> {
    const run = this.#world.state.runs.find(({ id }) => id === runId);
    if (run !== undefined) this.#world.state.finish(run, 'cancelled');
    await this.#world.settle();
  }

  /** Moves the clock to each due instant until the run has ended. Throws if it rests for ever. */
  async settled(): Promise<void> {
    const { state } = this.#world;
    const isOver = (): boolean => ['succeeded', 'failed', 'cancelled'].includes(this.status);
    await this.#world.settle();
    while (!isOver()) {
      const { nextDueMs } = state;
      if (!Number.isFinite(nextDueMs)) {
        const { kind = 'nothing', step } = this.waitingFor ?? {};
        throw new Error(
          `run of "${this.workflow}" rests for ever: it waits for ${kind}${step === undefined ? '' : ` of step "${step}"`}`,
        );
      }
      await this.#world.advanceTo(nextDueMs);
    }
  }
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
