import { asDeclared } from '../json/asDeclared.ts';
import type { FieldsOf } from '../knownFields.ts';
import { checkFields, checkText } from '../misuse.ts';
import type { FlowState } from '../records/flowState.ts';
import type { RegisteredWorkflow } from '../records/registry.ts';
import type { FinishedRun } from '../records/runs.ts';
import type { Triggered } from '../records/starts.ts';
import { checkMs } from '../timer.ts';
import type { AnyWorkflow, InputOf, ResultOf } from '../workflow.ts';
import { checkInput } from '../workflowInput.ts';
import type { Api } from './api.ts';
import { body } from './body.ts';
import type { RunsClient, RunWaitOptions } from './runs.ts';
import { isFlowState, isList, isTriggered } from './shapes.ts';
import { type StartTiming, timingFields, timingOf } from './startTiming.ts';

export interface TriggerOptions<Input = unknown> extends StartTiming {
  /** The data of the run's event. */
  input?: Input | undefined;
  /** The name of the run's event: only a label. Default: the workflow's name. */
  eventName?: string | undefined;
  /** A repeat of the same id within 24 hours starts nothing. */
  dedupeId?: string | undefined;
  /** Pin the run to this runner. */
  runner?: string | undefined;
  tags?: Record<string, string> | undefined;
}

/** The input is required if the workflow declares its type. */
export type TriggerArguments<Input> = undefined extends Input
  ? [options?: TriggerOptions<Input>]
  : [options: TriggerOptions<Input> & { input: Input }];

/** A start, and how long to wait for the end of its run. */
export type TriggerAndWaitArguments<Input> = undefined extends Input
  ? [options?: TriggerOptions<Input> & RunWaitOptions]
  : [options: TriggerOptions<Input> & RunWaitOptions & { input: Input }];

/** Names a workflow without importing it. `app` defaults to the client's app. */
export interface WorkflowAddress {
  app?: string | undefined;
  name: string;
  /** Separates an address from a typed workflow. */
  definition?: never;
}

const triggerFields: FieldsOf<TriggerOptions> = {
  input: true,
  eventName: true,
  dedupeId: true,
  runner: true,
  tags: true,
  ...timingFields,
};

const waitFields: FieldsOf<TriggerOptions & RunWaitOptions> = { ...triggerFields, timeoutMs: true, signal: true };

export class WorkflowsClient {
  readonly #api: Api;
  readonly #app: string;
  readonly #runs: RunsClient;

  constructor(api: Api, app: string, runs: RunsClient) {
    this.#api = api;
    this.#app = app;
    this.#runs = runs;
  }

  /**
   * Starts one run, whatever the workflow's triggers are. Resolves when the run is queued. Rejects
   * with an `EventSchemaError`, and starts nothing, if the input fits no schema of the triggers.
   */
  async trigger<W extends AnyWorkflow | WorkflowAddress>(
    workflow: W,
    ...[options = {}]: TriggerArguments<InputOf<W>>
  ): Promise<Triggered<ResultOf<W>>> {
    this.#api.warnOfUnknown('workflows.trigger', options, triggerFields);
    return this.#trigger(workflow, options, 'workflows.trigger');
  }

  /**
   * Starts one run, and waits as `runs.wait` does until it has finished, whatever its final status.
   * If the start was withheld because of another run, it waits for that run. A repeat with the same
   * `dedupeId` waits for the first run, also after a crash of the caller.
   *
   * @example
   * ```ts
   * const run = await hf.workflows.triggerAndWait(fulfil, { input: order, timeoutMs: 60_000 });
   * if (run.status === 'succeeded') console.log(run.result?.parcel);
   * ```
   */
  async triggerAndWait<W extends AnyWorkflow | WorkflowAddress>(
    workflow: W,
    ...[options = {}]: TriggerAndWaitArguments<InputOf<W>>
  ): Promise<FinishedRun<ResultOf<W>>> {
    this.#api.warnOfUnknown('workflows.triggerAndWait', options, waitFields);
    const { timeoutMs, signal, ...start }: TriggerOptions & RunWaitOptions = options;
    if (timeoutMs !== undefined) checkMs('timeoutMs', timeoutMs);
    signal?.throwIfAborted();
    const started = await this.#trigger<ResultOf<W>>(workflow, start, 'workflows.triggerAndWait');
    return this.#runs.wait(started, { timeoutMs, signal });
  }

  /** Lists all registered workflows of the project, by app and name. */
  async list(): Promise<RegisteredWorkflow[]> {
    return asDeclared((await this.#api.get('/workflows', isList)).body);
  }

  /** Slots, buffers, delayed starts and budgets: all that flow control holds back now. */
  async flowState(filter: { workflow?: string | undefined; app?: string | undefined } = {}): Promise<FlowState> {
    this.#api.warnOfUnknown('workflows.flowState', filter, { workflow: true, app: true });
    return asDeclared((await this.#api.get('/flow-state', isFlowState, { query: { ...filter } })).body);
  }

  async #trigger<Result>(
    workflow: AnyWorkflow | WorkflowAddress,
    options: TriggerOptions,
    call: string,
  ): Promise<Triggered<Result>> {
    checkFields(workflow, `${call} needs a workflow: what hf.workflow() gives, or { app?, name }`);
    checkText(workflow.name, 'the name of the workflow to trigger');
    const { input, startAt, delay, ttl, ...rest } = options;
    const timing = timingOf(call, { startAt, delay, ttl });
    checkInput(workflow, input, 'input');
    const path = [workflow.app ?? this.#app, workflow.name].map(encodeURIComponent).join('/');
    const answer = await this.#api.post(`/workflows/${path}/trigger`, isTriggered, {
      body: body('the input of the run', { ...rest, ...timing }, { input }),
    });
    return asDeclared(answer.body);
  }
}
