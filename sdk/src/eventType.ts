import { MisuseError, told } from './misuse.ts';

declare const dataOf: unique symbol;

/** An event's name together with the type of its data, which exists for the compiler only. */
export interface EventType<Data = unknown, Name extends string = string> {
  readonly name: Name;
  readonly [dataOf]?: () => Data;
}

/**
 * Names an event and types its data, for triggers, waits and sends alike.
 *
 * @example
 * const orderPaid = eventType<{ orderId: string; cents: number }>('order.paid');
 */
export function eventType<Data, Name extends string = string>(name: Name): EventType<Data, Name> {
  return { name };
}

/** The data that goes with an event: it may be left out only where its type allows for none. */
export type EventData<Data> = undefined extends Data
  ? { data?: NoInfer<Data> | undefined }
  : {
      /** As the type of the event demands. */
      data: NoInfer<Data>;
    };

/** An event as a handler receives it. */
export interface ReceivedEvent<Data = unknown> {
  /** Its id in the event log; absent where a run was started without an event. */
  readonly id?: string;
  readonly name: string;
  readonly data: Data;
  /** When it was received, RFC 3339. */
  readonly ts?: string;
}

/**
 * The name of an event that is given by its type or its name. Throws a `TypeError` where it is
 * neither; `field` says where.
 */
export function eventName(event: EventType | string, field: string): string {
  const given: unknown = event;
  const name = typeof given === 'object' && given !== null && 'name' in given ? given.name : given;
  if (typeof name === 'string') return name;
  throw new MisuseError(`${field} must be the name of an event, or what eventType() gives; it is ${told(given)}`);
}
