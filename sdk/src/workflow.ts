import type { AiDefaults } from './ai/aiDefaults.ts';
import { type Duration, limitMs } from './duration.ts';
import type { EventType, ReceivedEvent } from './eventType.ts';
import { eventName } from './eventType.ts';
import type { Logger } from './execute/passLog.ts';
import type { StepTools } from './execute/stepTools.ts';
import type { FlowControl } from './flowControl.ts';
import type { Jsonify } from './json/jsonify.ts';
import { checkKeyPaths } from './keyPaths.ts';
import { checkFields, described, MisuseError } from './misuse.ts';
import type {
  AiAllowance,
  RetryPolicy,
  StepError,
  StepManifestEntry,
  WireCancel,
  WireTrigger,
  WireWorkflow,
} from './protocol.ts';

/**
 * Starts a workflow: an event, whose name may end in `*`, with an optional CEL guard; or a cron
 * schedule.
 */
export type Trigger = EventType | { event: EventType | string; if?: string | undefined } | { cron: string };

/** Cancels runs: an event, whose name may end in `*`, with an optional CEL guard. */
export type CancelTrigger = EventType | { event: EventType | string; if?: string | undefined };

/** The type of the data that a list of triggers delivers; `unknown` if one trigger has no type. */
export type TriggerData<T> =
  T extends EventType<infer Data> ? Data : T extends { event: EventType<infer Data> } ? Data : unknown;

/**
 * A definition without its name: triggers, retry policy, and the flow-control policies as flat
 * fields (2.2).
 */
export interface WorkflowOptions<Triggers extends readonly Trigger[] = readonly Trigger[]> extends FlowControl {
  /** Default: an event with the workflow's name. */
  triggers?: Triggers | undefined;
  /** Default: one attempt. */
  retry?: RetryPolicy | undefined;
  /** The time limit of each attempt of each step that sets no `timeout`. Default: none. */
  stepTimeout?: Duration | undefined;
  /**
   * How long a run may take, waits and pauses included. A run that takes longer fails with a
   * `RunTimeoutError`, and its children are cancelled. Default: without limit.
   */
  maxDuration?: Duration | undefined;
  /**
   * Events that cancel the unfinished runs. `if` is CEL over the `event`, its `data`, and the
   * `run`: `data.orderId == run.input.orderId`. Default: none.
   */
  cancelOn?: readonly CancelTrigger[] | undefined;
  /** Steps that views show before the run executes; without effect on execution. */
  steps?: readonly (StepManifestEntry | string)[] | undefined;
  /** Runs as a separate run after a run of this workflow has failed for good. */
  onFailure?: FailureHandler<TriggerData<Triggers[number]>> | undefined;
}

/** `id` and `name` mean the same; give one. */
export type WorkflowName = { id: string; name?: undefined } | { name: string; id?: undefined };

/** Facts about the run that a pass belongs to. */
export interface RunInfo {
  readonly id: string;
  readonly workflow: string;
  readonly app: string;
  /** Attempt of the handler, from 1. */
  readonly attempt: number;
  /** The runner to which the run is pinned; absent otherwise. */
  readonly runner?: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly session?: string;
  readonly triggerKind?: 'event' | 'cron' | 'manual';
  readonly replayOf?: string;
  /**
   * Present if the workflow has a `cap`: its limits, and the spend of the run's AI steps before
   * this pass.
   */
  readonly ai?: Readonly<AiAllowance>;
  readonly traceparent?: string;
  /**
   * Aborts when the answer of this pass no longer counts: the run was cancelled, or the connection
   * was lost.
   */
  readonly signal: AbortSignal;
}

export interface HandlerContext<Data = unknown> {
  readonly event: ReceivedEvent<Data>;
  /** All events of a batched run; otherwise only the one. */
  readonly events: readonly ReceivedEvent<Data>[];
  readonly step: StepTools;
  readonly log: Logger;
  readonly run: RunInfo;
}

/** The data of a failure handler's event, which is named `workflow.failed`. */
export interface WorkflowFailure<Data = unknown> {
  /** The run that failed. */
  readonly runId: string;
  readonly app: string;
  readonly workflow: string;
  readonly error: StepError;
  /** The event that started the failed run. */
  readonly event: { readonly name: string; readonly data: Data };
}

export interface FailureContext<Data = unknown> extends HandlerContext<WorkflowFailure<Data>> {
  /** Why the run failed. */
  readonly error: Error;
}

export type Handler<Data, Result> = (context: HandlerContext<Data>) => Result | Promise<Result>;
export type FailureHandler<Data = unknown> = (context: FailureContext<Data>) => unknown;

declare const resultOf: unique symbol;

/**
 * A workflow as a value: it can be triggered, and it carries the types of its input and its result.
 */
export interface Workflow<Input = unknown, Result = unknown> {
  readonly app: string;
  readonly name: string;
  /** The definition that is registered with the service. */
  readonly definition: WireWorkflow;
  readonly handler: (context: HandlerContext<never>) => unknown;
  readonly onFailure: ((context: FailureContext<never>) => unknown) | undefined;
  readonly stepTimeoutMs?: number | undefined;
  /** The model defaults of the client that defined the workflow. */
  readonly aiDefaults?: AiDefaults | undefined;
  readonly [resultOf]?: (input: Input) => Result;
}

/** Any workflow, whatever its input and result. */
export type AnyWorkflow = Workflow<never, unknown>;

/** The type of a workflow's input; `unknown` if it is undeclared, or for an address. */
export type InputOf<W> = W extends Workflow<infer Input, unknown> ? Input : unknown;
/** The type of a workflow's result. */
export type ResultOf<W> = W extends Workflow<never, infer Result> ? Result : unknown;

export function defineWorkflow<const Triggers extends readonly Trigger[], Result>(
  app: string,
  options: WorkflowName & WorkflowOptions<Triggers>,
  handler: Handler<TriggerData<Triggers[number]>, Result>,
): Workflow<TriggerData<Triggers[number]>, Jsonify<Awaited<Result>>> {
  checkFields(options, "a workflow needs options first, such as { id: 'greet', triggers: […] }");
  const name = options.id ?? options.name;
  if (typeof name !== 'string' || name.trim() === '') throw new MisuseError('a workflow needs an id that is not blank');
  checkFunction(handler, `the handler of workflow "${name}" (the second argument)`);
  if (options.onFailure !== undefined) checkFunction(options.onFailure, `the onFailure of workflow "${name}"`);
  const { onFailure, stepTimeout } = options;
  const stepTimeoutMs =
    stepTimeout === undefined ? undefined : limitMs(stepTimeout, `the stepTimeout of workflow "${name}"`);
  return { app, name, definition: wireDefinition(name, options), handler, onFailure, stepTimeoutMs };
}

interface Definition extends Omit<WorkflowOptions, 'onFailure'> {
  onFailure?: unknown;
}

function wireDefinition(name: string, options: WorkflowName & Definition): WireWorkflow {
  const { id: _id, name: _name, triggers, retry, steps, onFailure, stepTimeout: _timeout, ...rest } = options;
  const { maxDuration, cancelOn, ...flowControl } = rest;
  checkKeyPaths(name, flowControl);
  return {
    name,
    ...flowControl,
    ...(triggers !== undefined && { triggers: wireTriggers(name, triggers) }),
    ...(retry !== undefined && { retry }),
    ...(steps !== undefined && { steps: steps.map((step) => (typeof step === 'string' ? { name: step } : step)) }),
    ...(onFailure !== undefined && { onFailure: true }),
    ...(maxDuration !== undefined && { maxDuration: limitMs(maxDuration, `the maxDuration of workflow "${name}"`) }),
    ...(cancelOn !== undefined && { cancelOn: wireCancels(name, cancelOn) }),
  };
}

function checkFunction(value: unknown, field: string): void {
  if (typeof value !== 'function') throw new MisuseError(`${field} must be a function; it is ${described(value)}`);
}

function wireTriggers(workflow: string, triggers: readonly Trigger[]): WireTrigger[] {
  if (!Array.isArray(triggers))
    throw new MisuseError(`the triggers of workflow "${workflow}" must be a list; it is ${described(triggers)}`);
  return triggers.map((trigger, index) => wireTrigger(trigger, `triggers[${index}] of workflow "${workflow}"`));
}

function wireTrigger(trigger: Trigger, field: string): WireTrigger {
  checkFields(trigger, `${field} must be an event type, { event: 'order.paid' } or { cron: '0 8 * * *' }`);
  return 'cron' in trigger ? { cron: trigger.cron } : wireEvent(trigger, field);
}

function wireEvent(trigger: CancelTrigger, field: string): WireCancel {
  if (!('event' in trigger)) return { event: eventName(trigger, field) };
  return { event: eventName(trigger.event, field), ...(trigger.if !== undefined && { if: trigger.if }) };
}

function wireCancels(workflow: string, triggers: readonly CancelTrigger[]): WireCancel[] {
  const list = `cancelOn of workflow "${workflow}"`;
  if (!Array.isArray(triggers)) throw new MisuseError(`${list} must be a list; it is ${described(triggers)}`);
  return triggers.map((trigger: CancelTrigger, index) => {
    const field = `cancelOn[${index}] of workflow "${workflow}"`;
    checkFields(trigger, `${field} must be an event type or { event: 'order.cancelled' }`);
    return wireEvent(trigger, field);
  });
}
