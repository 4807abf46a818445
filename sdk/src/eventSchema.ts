import { type EventIssue, EventSchemaError } from './errors.ts';
import { described, MisuseError } from './misuse.ts';

/** A schema of any library that follows Standard Schema 1, such as zod, Valibot or ArkType. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Throws a `TypeError` for a schema that does not follow Standard Schema. */
export function checkSchema(schema: StandardSchema, field: string): StandardSchema {
  const given: unknown = schema;
  const isObject = (typeof given === 'object' && given !== null) || typeof given === 'function';
  if (isObject && typeof schema['~standard']?.validate === 'function') return schema;
  throw new MisuseError(
    `${field} must follow Standard Schema, such as z.object(…) of zod or type(…) of ArkType; it is ${described(given)}`,
  );
}

/**
 * The data of an event as a schema reads it. Throws an `EventSchemaError` for data that does not
 * fit. `at` is the way to the data, such as `data` or `events[2].data`.
 */
export function parsedData(schema: StandardSchema, event: string, data: unknown, at = 'data'): unknown {
  const result = schema['~standard'].validate(data);
  if (result instanceof Promise) {
    // The message names the remedy; the outcome of the check is of no interest.
    result.catch(() => {});
    throw new MisuseError(
      `the schema of event "${event}" checks asynchronously: handlers are replayed, so it must answer at once. ` +
        'Make such checks in a step.',
    );
  }
  if (result.issues === undefined) return result.value;
  throw new EventSchemaError(
    event,
    result.issues.map(({ message, path }): EventIssue => ({ path: at + pathText(path ?? []), message })),
  );
}

function pathText(path: NonNullable<SchemaIssue['path']>): string {
  return path
    .map((segment) => (typeof segment === 'object' ? segment.key : segment))
    .map((key) => (isPlainName(key) ? `.${key}` : `[${typeof key === 'string' ? JSON.stringify(key) : String(key)}]`))
    .join('');
}

const isPlainName = (key: PropertyKey): key is string => typeof key === 'string' && /^[A-Za-z_$][\w$]*$/.test(key);
