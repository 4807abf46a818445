import type { EventType, ReceivedEvent } from './eventType.ts';

/**
 * Starts a workflow: an event, whose name may end in `*`, with an optional CEL guard; or a cron
 * schedule.
 */
export type Trigger = EventType | EventTrigger | CronTrigger;

/** Cancels runs: an event, whose name may end in `*`, with an optional CEL guard. */
export type CancelTrigger = EventType | EventTrigger;

export interface EventTrigger {
  event: EventType | string;
  if?: string | undefined;
}

export interface CronTrigger {
  /**
   * Five fields, or six with seconds first, or a name such as `@daily`. UTC, unless prefixed by a
   * time zone: `TZ=Europe/Berlin 0 8 * * *`.
   */
  cron: string;
}

/** The type of the data that a list of triggers delivers; `unknown` if one trigger has no type. */
export type TriggerData<T> =
  T extends EventType<infer Data, string, unknown>
    ? Data
    : T extends { event: EventType<infer Data, string, unknown> }
      ? Data
      : unknown;

/**
 * The data that starts a run by hand or as a child: what the triggers' events are sent with. An
 * empty list of triggers takes any.
 */
export type TriggerInput<T> = [T] extends [never] ? unknown : SentTo<T>;

type SentTo<T> =
  T extends EventType<unknown, string, infer Sent>
    ? Sent
    : T extends { event: EventType<unknown, string, infer Sent> }
      ? Sent
      : unknown;

/**
 * The events that a handler receives, as a union by name. A run that did not start by one of the
 * events has one with the workflow's name, and with data of any of them.
 */
export type ReceivedBy<T, Workflow extends string = string> = [T] extends [never]
  ? ReceivedEvent<unknown, Workflow>
  : ReceivedFrom<T, Workflow> | ([KnownName<T>] extends [never] ? never : ReceivedEvent<TriggerData<T>, Workflow>);

type ReceivedFrom<T, Workflow extends string> =
  T extends EventType<infer Data, infer Name, unknown>
    ? ReceivedEvent<Data, NameOf<Name>>
    : T extends { event: EventType<infer Data, infer Name, unknown> }
      ? ReceivedEvent<Data, NameOf<Name>>
      : T extends { event: infer Name extends string }
        ? ReceivedEvent<unknown, NameOf<Name>>
        : ReceivedEvent<unknown, Workflow>;

/** The names of the triggers' events as far as the compiler knows them. */
type KnownName<T> = T extends CronTrigger ? never : Known<ReceivedFrom<T, string>['name']>;
type Known<Name extends string> = string extends Name ? never : Name;

type NameOf<Name extends string> = Name extends `${infer Start}*` ? `${Start}${string}` : Name;

/** Triggers without unknown fields: the compiler itself accepts any in an inferred list. */
export type ExactTriggers<Triggers extends readonly Trigger[]> = {
  readonly [Index in keyof Triggers]: ExactTrigger<Triggers[Index]>;
};

type ExactTrigger<T> = T & { readonly [Field in Exclude<keyof T, FieldOf<T>>]: never };
type FieldOf<T> = keyof (T extends CronTrigger ? CronTrigger : T extends EventType ? EventType : EventTrigger);
