import { checkSchema, type StandardSchema } from './eventSchema.ts';
import { asDeclared } from './json/asDeclared.ts';
import { refuseUnknown } from './knownFields.ts';
import { described, MisuseError } from './misuse.ts';

declare const dataOf: unique symbol;
declare const sentOf: unique symbol;

/**
 * An event's name, with the type of its data for the compiler: as a handler receives it (`Data`),
 * and as it is sent (`Sent`). The two differ only if a schema transforms the data.
 */
export interface EventType<Data = unknown, Name extends string = string, Sent = Data> {
  readonly name: Name;
  /** Checks the data when the event is sent, and when a handler receives it. */
  readonly schema?: StandardSchema | undefined;
  readonly [dataOf]?: () => Data;
  readonly [sentOf]?: () => Sent;
}

export interface EventTypeOptions<Schema extends StandardSchema = StandardSchema> {
  /** A schema of zod, Valibot, ArkType or another library that follows Standard Schema. */
  schema: Schema;
}

/**
 * Names an event and types its data, for triggers, waits and sends alike.
 *
 * @example
 * ```ts
 * const orderPaid = eventType<{ orderId: string; cents: number }>('order.paid');
 * ```
 */
export function eventType<Data, Name extends string = string>(name: Name): EventType<Data, Name>;
/**
 * Names an event whose data a schema types and checks. Data that does not fit is not sent, and
 * fails a run that receives it. The compiler knows the name, so `event.name` tells several events
 * of a handler apart.
 *
 * @example
 * ```ts
 * const orderPaid = eventType('order.paid', { schema: z.object({ orderId: z.string() }) });
 * ```
 */
export function eventType<const Name extends string, Schema extends StandardSchema>(
  name: Name,
  options: EventTypeOptions<Schema>,
): EventType<SchemaOutput<Schema>, Name, SchemaInput<Schema>>;
export function eventType(name: string, options?: EventTypeOptions): EventType {
  if (typeof name !== 'string' || name === '')
    throw new MisuseError(`an event type needs the name of its event first; it is ${described(name)}`);
  if (options === undefined) return { name };
  refuseUnknown(options, { schema: true }, `the options of event type "${name}"`);
  return { name, schema: checkSchema(options.schema, `the schema of event type "${name}"`) };
}

type SchemaTypes<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>;
type SchemaInput<Schema extends StandardSchema> = SchemaTypes<Schema>['input'];
type SchemaOutput<Schema extends StandardSchema> = SchemaTypes<Schema>['output'];

/**
 * A schema that only types data and checks nothing, so that the compiler knows the event's name.
 *
 * @example
 * ```ts
 * const orderPaid = eventType('order.paid', { schema: staticSchema<{ orderId: string }>() });
 * ```
 */
export function staticSchema<Data>(): StandardSchema<Data> {
  return { '~standard': { version: 1, vendor: 'holdfast', validate: accept } };
}

const accept = <Data>(value: unknown): { value: Data } => ({ value: asDeclared(value) });

/** The data of an event, optional only if its type allows `undefined`. */
export type EventData<Data> = undefined extends Data
  ? { data?: NoInfer<Data> | undefined }
  : {
      data: NoInfer<Data>;
    };

/** An event as a handler receives it. */
export interface ReceivedEvent<Data = unknown, Name extends string = string> {
  /** The id in the event log; absent if no event started the run. */
  readonly id?: string;
  /** The name of the workflow, if the run was started by hand, by a schedule or by another run. */
  readonly name: Name;
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

/** The schema of an event; undefined for a name, or a type that has none. */
export const schemaOf = (event: EventType | string): StandardSchema | undefined =>
  typeof event === 'string' ? undefined : event.schema;
