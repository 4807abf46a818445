import { described, MisuseError } from './misuse.ts';

declare const dataOf: unique symbol;

/** An event's name, with the type of its data for the compiler. */
export interface EventType<Data = unknown, Name extends string = string> {
  readonly name: Name;
  readonly [dataOf]?: () => Data;
}

/**
 * Names an event and types its data, for triggers, waits and sends alike.
 *
 * @example
 * ```ts
 * const orderPaid = eventType<{ orderId: string; cents: number }>('order.paid');
 * ```
 */
export function eventType<Data, Name extends string = string>(name: Name): EventType<Data, Name> {
  return { name };
}

/** The data of an event, optional only if its type allows `undefined`. */
export type EventData<Data> = undefined extends Data
  ? { data?: NoInfer<Data> | undefined }
  : {
      data: NoInfer<Data>;
    };

/** An event as a handler receives it. */
export interface ReceivedEvent<Data = unknown> {
  /** The id in the event log; absent if no event started the run. */
  readonly id?: string;
  readonly name: string;
  readonly data: Data;
  /** When the service received it, RFC 3339. */
  readonly ts?: string;
  /** The headers of the sender that a webhook source exposes, by name in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The name of an event, from its type or its name. Throws a `TypeError` that names `field` for
 * anything else.
 */
export function eventName(event: EventType | string, field: string): string {
  const given: unknown = event;
  const name = typeof given === 'object' && given !== null && 'name' in given ? given.name : given;
  if (typeof name === 'string') return name;
  throw new MisuseError(`${field} must be the name of an event, or what eventType() gives; it is ${described(given)}`);
}
