import type { AiDefaults } from './ai/aiDefaults.ts';
import { type Duration, limitMs } from './duration.ts';
import type { EventType, ReceivedEvent } from './eventType.ts';
import type { Logger } from './execute/passLog.ts';
import type { StepTools } from './execute/stepTools.ts';
import type { FlowControl } from './flowControl.ts';
import type { Jsonify } from './json/jsonify.ts';
import { checkFields, described, MisuseError } from './misuse.ts';
import type { AiAllowance, RetryPolicy, StepError, StepManifestEntry, WireWorkflow } from './protocol.ts';
import type { CancelTrigger, ExactTriggers, ReceivedBy, Trigger, TriggerData, TriggerInput } from './trigger.ts';
import { eventTypesOf, wireDefinition } from './wireDefinition.ts';

/**
 * A definition without its name: triggers, retry policy, and the flow-control policies as flat
 * fields (2.2).
 */
export interface WorkflowOptions<Triggers extends readonly Trigger[] = readonly Trigger[], Name extends string = string>
  extends FlowControl {
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
  onFailure?: FailureHandler<TriggerData<Triggers[number]>, ReceivedBy<Triggers[number], Name>> | undefined;
}

/** `id` and `name` mean the same; give one. */
export type WorkflowName<Name extends string = string> =
  | { id: Name; name?: undefined }
  | { name: Name; id?: undefined };

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

export interface HandlerContext<Data = unknown, Event = ReceivedEvent<Data>> {
  /** A union by `name`, as far as the triggers name their events for the compiler. */
  readonly event: Event;
  /** All events of a batched run; otherwise only the one. */
  readonly events: readonly Event[];
  readonly step: StepTools;
  readonly log: Logger;
  readonly run: RunInfo;
}

/** The data of a failure handler's event, which is named `workflow.failed`. */
export interface WorkflowFailure<Data = unknown, Event extends ReceivedEvent = ReceivedEvent<Data>> {
  /** The run that failed. */
  readonly runId: string;
  readonly app: string;
  readonly workflow: string;
  readonly error: StepError;
  /**
   * The event that started the failed run. If its data does not fit the schema of its type, the
   * data is as it was sent.
   */
  readonly event: StartingEvent<Event>;
}

type StartingEvent<Event> = Event extends ReceivedEvent ? Readonly<Pick<Event, 'name' | 'data'>> : never;

export interface FailureContext<Data = unknown, Event extends ReceivedEvent = ReceivedEvent<Data>>
  extends HandlerContext<WorkflowFailure<Data, Event>> {
  /** Why the run failed. */
  readonly error: Error;
}

export type Handler<Data, Result, Event = ReceivedEvent<Data>> = (
  context: HandlerContext<Data, Event>,
) => Result | Promise<Result>;
export type FailureHandler<Data = unknown, Event extends ReceivedEvent = ReceivedEvent<Data>> = (
  context: FailureContext<Data, Event>,
) => unknown;

declare const resultOf: unique symbol;

/**
 * A workflow as a value: it can be triggered, and it carries the types of its input and its result.
 */
export interface Workflow<Input = unknown, Result = unknown> {
  readonly app: string;
  readonly name: string;
  /** The definition that is registered with the service. */
  readonly definition: WireWorkflow;
  /** The event types of the triggers; their schemas check what starts a run. */
  readonly eventTypes: readonly EventType[];
  /** Whether each trigger has a schema, so that one of them must fit any data. */
  readonly isTyped: boolean;
  readonly handler: (context: HandlerContext<never, never>) => unknown;
  readonly onFailure: ((context: FailureContext<never, never>) => unknown) | undefined;
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

/** The options of a workflow. Unknown fields of its triggers do not compile. */
export type WorkflowDefinition<Triggers extends readonly Trigger[], Name extends string> = WorkflowName<Name> &
  WorkflowOptions<Triggers, Name> & { triggers?: ExactTriggers<Triggers> | undefined };

/** The handler that a workflow with these triggers and this name takes. */
export type HandlerOf<Triggers extends readonly Trigger[], Name extends string, Result> = Handler<
  TriggerData<Triggers[number]>,
  Result,
  ReceivedBy<Triggers[number], Name>
>;

export function defineWorkflow<const Triggers extends readonly Trigger[], Result, const Name extends string>(
  app: string,
  options: WorkflowDefinition<Triggers, Name>,
  handler: HandlerOf<Triggers, Name, Result>,
): Workflow<TriggerInput<Triggers[number]>, Jsonify<Awaited<Result>>> {
  checkFields(options, "a workflow needs options first, such as { id: 'greet', triggers: […] }");
  const name = options.id ?? options.name;
  if (typeof name !== 'string' || name.trim() === '') throw new MisuseError('a workflow needs an id that is not blank');
  checkFunction(handler, `the handler of workflow "${name}" (the second argument)`);
  if (options.onFailure !== undefined) checkFunction(options.onFailure, `the onFailure of workflow "${name}"`);
  const { onFailure, stepTimeout } = options;
  const stepTimeoutMs =
    stepTimeout === undefined ? undefined : limitMs(stepTimeout, `the stepTimeout of workflow "${name}"`);
  const definition = wireDefinition(name, options);
  return { app, name, definition, ...eventTypesOf(options.triggers ?? []), handler, onFailure, stepTimeoutMs };
}

function checkFunction(value: unknown, field: string): void {
  if (typeof value !== 'function') throw new MisuseError(`${field} must be a function; it is ${described(value)}`);
}
