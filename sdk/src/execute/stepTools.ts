import { type AiTools, aiTools } from '../ai/aiTools.ts';
import { type Duration, durationMs } from '../duration.ts';
import { parsedData } from '../eventSchema.ts';
import { type EventData, type EventType, eventName, type ReceivedEvent, schemaOf } from '../eventType.ts';
import { instantMs } from '../instant.ts';
import { asDeclared } from '../json/asDeclared.ts';
import type { Jsonify } from '../json/jsonify.ts';
import { unknownField } from '../knownFields.ts';
import { checkFields, described, MisuseError } from '../misuse.ts';
import type { AiSurroundings } from './aiStep.ts';
import { type ApprovalDecision, type ApprovalOptions, type ApprovalQuestion, approvalWork } from './approvalStep.ts';
import { type ChildOptions, childWork, type RunWorkflow } from './childStep.ts';
import { report, sleepReport } from './opcodeText.ts';
import type { Pass, StepWork } from './pass.ts';
import { bodyStep, type RunArguments, runWork, type StepInfo, type StepOptions } from './runStep.ts';
import { changedKind, hasKeys } from './saved.ts';
import { type Score, scoreWork } from './scoreStep.ts';
import { stepFields } from './stepFields.ts';
import { type WebhookOptions, webhookWork } from './webhookStep.ts';

export interface WaitOptions<Data> {
  /** The event to wait for: an event type or a name. */
  event: EventType<Data, string, unknown> | string;
  /**
   * A CEL expression over the event (`event.data.id == 'a'`). Events for which it is false do not
   * end the wait.
   */
  if?: string | undefined;
  /** Default: waits without limit. */
  timeout?: Duration | undefined;
  /**
   * Looks back: the wait also takes an event that arrived at this time or later, such as
   * `event.ts`. So an event that came before the wait is not lost. A date, its RFC 3339 text, or
   * milliseconds since the epoch. The service looks at the last 1,000 events of the name, and
   * passes over the event that started the run. Default: only events from now on.
   */
  since?: Date | string | number | undefined;
}

export type EmitOptions<Sent = unknown> = { name: EventType<unknown, string, Sent> | string } & EventData<Sent> &
  EmitAddress;

interface EmitAddress {
  /** A second event with the same id within 24 hours is dropped. */
  dedupeId?: string | undefined;
  /** Start workflows of this app only. */
  targetApp?: string | undefined;
  tags?: Record<string, string> | undefined;
  session?: string | undefined;
}

/**
 * The steps that make a handler durable. Each executes once and saves its result under its id;
 * later passes return the saved result. A repeated id counts as another step (`x`, `x:1`, `x:2`, in
 * order).
 */
export interface StepTools {
  /**
   * Runs `body` and saves its result as JSON. Throws the body's last error when its attempts are
   * spent.
   *
   * @example
   * ```ts
   * const user = await step.run('load user', () => db.users.find(event.data.userId));
   * ```
   */
  run<T>(id: string, body: (info: StepInfo) => T): Promise<Jsonify<Awaited<T>>>;
  /** The same, with an `input` that is recorded with the step and passed to `body`. */
  run<Input, T>(
    id: string,
    options: StepOptions & { input: Input },
    body: (input: Input, info: StepInfo) => T,
  ): Promise<Jsonify<Awaited<T>>>;
  /**
   * The same, with limits of its own.
   *
   * @example
   * ```ts
   * await step.run('ask', { timeout: '30s' }, ({ signal }) => fetch(url, { signal }).then(String));
   * ```
   */
  run<T>(id: string, options: StepOptions, body: (info: StepInfo) => T): Promise<Jsonify<Awaited<T>>>;
  /** Steps that call models, whose spend counts against limits. */
  readonly ai: AiTools;
  /** Sleeps without occupying a process: the run is parked meanwhile. */
  sleep(id: string, duration: Duration): Promise<void>;
  /**
   * Sleeps until a date, its RFC 3339 text, or a time in milliseconds since the epoch. A past time
   * ends the sleep at once.
   */
  sleepUntil(id: string, until: Date | string | number): Promise<void>;
  /**
   * Waits for the first matching event from now on, or from `since` on. Returns null if the timeout
   * passes first.
   * Throws an `EventSchemaError` if the data of the event does not fit the schema of its type.
   */
  waitForEvent<Data = unknown>(id: string, options: WaitOptions<Data>): Promise<ReceivedEvent<Data> | null>;
  /**
   * Sends an event exactly once, however often the handler runs. Throws an `EventSchemaError` if
   * the data does not fit the schema of its type.
   */
  emit<Sent = unknown>(id: string, options: EmitOptions<Sent>): Promise<{ eventId: string; runIds: string[] }>;
  /**
   * Runs another workflow as a child run, and returns its result. Throws the child's error when the
   * step's attempts are spent; each attempt starts a new child. Throws an error named
   * `ChildCancelledError` if the child was cancelled.
   *
   * @example
   * ```ts
   * const { parcel } = await step.runWorkflow('pack', packOrder, { data: { orderId } });
   * ```
   */
  runWorkflow: RunWorkflow;
  /** Asks people whether an action may happen, and parks the run until their decision. */
  approval<Args>(id: string, options: ApprovalOptions<Args>): Promise<ApprovalDecision<Jsonify<Args>>>;
  /** The same, for an action without arguments. */
  approval(id: string, options: ApprovalQuestion & { args?: undefined }): Promise<ApprovalDecision>;
  /** Stores a score of this run, once however often the handler runs. */
  score(id: string, score: Score): Promise<{ scoreId: string }>;
  /**
   * Sends data to a URL: the service posts it as JSON, and retries for hours. The message is
   * enqueued exactly once, however often the handler runs. The step does not wait for the receiver:
   * `deliveryId` finds the outcome. The message is not signed. Throws if the service does not allow
   * the URL.
   *
   * @example
   * ```ts
   * await step.webhook('tell the partner', { url: partner.hookUrl, data: { orderId } });
   * ```
   */
  webhook(id: string, options: WebhookOptions): Promise<{ deliveryId: string }>;
  /** Records the step as skipped, with a reason that views show. */
  skip(id: string, reason?: string): Promise<null>;
}

export function stepTools(pass: Pass, surroundings: AiSurroundings): StepTools {
  const take = <T>(id: string, work: StepWork<T>): Promise<T> => pass.step(checkedId(id), work);
  const known: Known = (id, options, fields) => {
    const unknown = typeof options === 'object' && options !== null ? unknownField(options, fields) : undefined;
    if (unknown !== undefined) surroundings.warn(id, `step "${id}" ${unknown}. The field has no effect.`);
    return options;
  };
  return {
    run(id: string, ...args: RunArguments) {
      if (args.length > 1) known(id, args[0], stepFields.run);
      return take(id, runWork(bodyStep(id, args, surroundings), surroundings));
    },
    ai: aiTools(take, surroundings),
    sleep: (id, duration) => take(id, sleepWork(durationMs(duration, `the duration of step "${id}"`))),
    sleepUntil: (id, until) => take(id, sleepUntilWork(instantMs(until, `the time of step "${id}"`))),
    waitForEvent: (id, options) => take(id, waitWork(id, known(id, options, stepFields.waitForEvent))),
    emit: (id, options) => take(id, emitWork(id, known(id, options, stepFields.emit))),
    runWorkflow: (id: string, workflow: ChildAddress, options: ChildOptions = {}) =>
      take(id, childWork(id, workflow, known(id, options, stepFields.runWorkflow))),
    approval: (id: string, options: ApprovalQuestion) =>
      take(id, approvalWork<never>(id, known(id, options, stepFields.approval))),
    score: (id, score) => take(id, scoreWork(score)),
    webhook: (id, options) => take(id, webhookWork(id, known(id, options, stepFields.webhook))),
    skip: (id, reason) => take(id, skipWork(reason)),
  };
}

/** Warns of an unknown field in the options of a step, and returns them. */
type Known = <Options>(id: string, options: Options, fields: Readonly<Record<string, true>>) => Options;

type ChildAddress = { app?: string | undefined; name: string };

function sleepWork(sleepMs: number): StepWork<void> {
  return {
    kind: 'Sleep',
    read: readNothing,
    perform: (name, id) => sleepReport({ op: 'Sleep', id, name, sleepMs }),
  };
}

function sleepUntilWork(sleepUntilMs: number): StepWork<void> {
  return {
    kind: 'SleepUntil',
    read: readNothing,
    perform: (name, id) => report({ op: 'SleepUntil', id, name, sleepUntilMs }, false),
  };
}

function waitWork<Data>(step: string, options: WaitOptions<Data>): StepWork<ReceivedEvent<Data> | null> {
  checkFields(options, `step "${step}" needs what it waits for, such as { event: 'order.paid' }`);
  const wait = {
    eventName: eventName(options.event, `the event of step "${step}"`),
    ...(options.if !== undefined && { eventIf: options.if }),
    ...(options.timeout !== undefined && { timeoutMs: durationMs(options.timeout, `the timeout of step "${step}"`) }),
    ...(options.since !== undefined && { sinceMs: instantMs(options.since, `since of step "${step}"`) }),
  };
  const schema = schemaOf(options.event);
  return {
    kind: 'WaitForEvent',
    read(data, name) {
      if (data === null) return null;
      if (!hasKeys(data, 'name')) throw changedKind(name, 'an event that it waited for');
      const event = asDeclared<ReceivedEvent<Data>>(data);
      return schema === undefined
        ? event
        : { ...event, data: asDeclared<Data>(parsedData(schema, event.name, event.data)) };
    },
    perform: (name, id) => report({ op: 'WaitForEvent', id, name, ...wait }, false),
  };
}

function emitWork(step: string, options: EmitOptions): StepWork<{ eventId: string; runIds: string[] }> {
  checkFields(options, `step "${step}" needs an event to send, such as { name: 'order.paid', data: … }`);
  const { name: event, data, ...rest } = options;
  const fields = { eventName: eventName(event, `the name of what is sent by step "${step}"`), ...rest };
  const schema = schemaOf(event);
  return {
    kind: 'Emit',
    read(saved, name) {
      if (hasKeys(saved, 'eventId')) return asDeclared(saved);
      throw changedKind(name, 'an event that it sent');
    },
    perform(name, id) {
      if (schema !== undefined) parsedData(schema, fields.eventName, data);
      return report({ op: 'Emit', id, name, ...fields }, true, { data });
    },
  };
}

function skipWork(reason: string | undefined): StepWork<null> {
  return {
    kind: 'StepRun',
    read: () => null,
    perform: (name, id) => report({ op: 'StepRun', id, name, skipped: true }, true, { data: reason }),
  };
}

function readNothing(data: unknown, name: string): void {
  if (data !== null) throw changedKind(name, 'a sleep');
}

function checkedId(id: string): string {
  if (typeof id !== 'string' || id === '')
    throw new MisuseError(`a step needs an id: a string that is not empty; it is ${described(id)}`);
  return id;
}
