import { parsedData } from '../eventSchema.ts';
import { type EventType, eventName, schemaOf } from '../eventType.ts';
import { encodeJson } from '../json/encode.ts';
import type { AnyWorkflow } from '../workflow.ts';
import type { GuardEvent, Guards } from './guards.ts';

/** An event that a test sends. */
export interface SentMessage {
  readonly name: EventType | string;
  readonly data?: unknown;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly session?: string | undefined;
  /** A second event with the same id within 24 hours of virtual time is dropped. */
  readonly dedupeId?: string | undefined;
  /** Starts workflows of this app only. */
  readonly targetApp?: string | undefined;
  /** As if its webhook source exposed them. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An event of the world. */
export interface Incoming extends GuardEvent {
  /** JSON text; undefined without data. */
  readonly text: string | undefined;
  readonly atMs: number;
  readonly targetApp: string | undefined;
}

/** Reads an event. Throws an `EventSchemaError` for data that its type does not allow. */
export function incoming(message: SentMessage, id: string, atMs: number): Incoming {
  const name = eventName(message.name, 'the name of the event');
  const schema = schemaOf(message.name);
  if (schema !== undefined) parsedData(schema, name, message.data);
  const text = encodeJson(message.data);
  const { tags, session, headers, targetApp } = message;
  return {
    ...{ id, name, text, atMs, targetApp, ts: new Date(atMs).toISOString() },
    ...(text !== undefined && { data: JSON.parse(text) }),
    ...(tags !== undefined && { tags }),
    ...(session !== undefined && { session }),
    ...(headers !== undefined && { headers }),
  };
}

/** The memo of a wait that an event ended. An event without data has an empty object. */
export const memoOfEvent = ({ id, name, text, ts, headers }: Incoming): string =>
  `{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"data":${text ?? '{}'},"ts":"${ts}"` +
  `${headers === undefined ? '' : `,"headers":${JSON.stringify(headers)}`}}`;

/** The event that a guard sees. */
export const guardEvent = ({ text: _text, atMs: _atMs, targetApp: _app, ...event }: Incoming): GuardEvent => event;

const matchesName = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;

/** Whether an event starts a workflow. One without triggers starts on events of its own name. */
export function starts({ definition }: AnyWorkflow, event: Incoming, guards: Guards): boolean {
  if (definition.triggers === undefined) return event.name === definition.name;
  return definition.triggers.some(
    (trigger) =>
      'event' in trigger &&
      matchesName(trigger.event, event.name) &&
      (trigger.if === undefined || guards.holds(trigger.if, guardEvent(event))),
  );
}

/** Whether an event names a trigger of a workflow, whatever its guard says. */
export const isNamed = ({ definition }: AnyWorkflow, name: string): boolean =>
  definition.triggers === undefined
    ? name === definition.name
    : definition.triggers.some((trigger) => 'event' in trigger && matchesName(trigger.event, name));

/** The guards by which an event cancels a run of a workflow; undefined for one without a guard. */
export const cancelGuards = ({ definition }: AnyWorkflow, name: string): (string | undefined)[] =>
  (definition.cancelOn ?? []).filter(({ event }) => matchesName(event, name)).map((rule) => rule.if);
