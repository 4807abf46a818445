import { asDeclared } from '../json/asDeclared.ts';
import { described, MisuseError } from '../misuse.ts';

/**
 * A schema of a library that follows Standard JSON Schema, such as zod 4.2, ArkType 2.1.28 or the
 * wrapper of Valibot 1.2.
 */
export interface TypedSchema<Input = unknown> {
  readonly '~standard': {
    readonly jsonSchema: { input(options: { target: string }): Record<string, unknown> };
    readonly types?: { readonly input: Input; readonly output: unknown } | undefined;
  };
}

/** The JSON that fits a schema, before its transformations and defaults. */
export type InputOfSchema<Schema extends TypedSchema> = NonNullable<Schema['~standard']['types']>['input'];

/** A JSON Schema of the draft 2020-12, as an object. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly '~standard'?: never;
}

/**
 * The JSON Schema of what a caller gave. The schema of a library is that of its input, since a
 * model writes what the library would parse.
 */
export function jsonSchemaOf(given: TypedSchema | JsonSchema, field: string): JsonSchema {
  const schema: unknown = given;
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null || Array.isArray(schema)) {
    throw new MisuseError(`${field} must be a JSON Schema or a schema such as z.object(…); it is ${described(schema)}`);
  }
  if (!('~standard' in schema)) {
    if (typeof schema === 'object') return asDeclared(schema);
    throw new MisuseError(`${field} must be a JSON Schema or a schema such as z.object(…); it is ${described(schema)}`);
  }
  return converted(asDeclared(schema), field);
}

function converted(schema: TypedSchema, field: string): JsonSchema {
  if (typeof schema['~standard']?.jsonSchema?.input !== 'function') {
    throw new MisuseError(
      `${field} has no "~standard".jsonSchema: use a version of its library that has it, such as zod 4.2, or give a JSON Schema`,
    );
  }
  let json: Record<string, unknown>;
  try {
    json = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  } catch (cause) {
    throw new MisuseError(`${field} has no JSON Schema: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  const { $schema: _, ...rest } = json;
  return hasAllOf(rest) ? rest : asDeclared(closed(rest));
}

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const single = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const lists = ['anyOf', 'oneOf', 'prefixItems'];
const named = ['properties', '$defs', 'definitions', 'patternProperties'];

/**
 * The schema with `additionalProperties: false` where an object lists its properties and says
 * nothing of others. Libraries drop unknown properties; providers with structured output insist on
 * the keyword.
 */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const copy: Record<string, unknown> = { ...schema };
  for (const key of single) if (key in copy) copy[key] = closed(copy[key]);
  for (const key of lists) if (Array.isArray(copy[key])) copy[key] = copy[key].map(closed);
  for (const key of named) copy[key] = closedMembers(copy[key]);
  for (const key of named) if (copy[key] === undefined) delete copy[key];
  if (copy.type === 'object' && copy.properties !== undefined && copy.additionalProperties === undefined) {
    copy.additionalProperties = false;
  }
  return copy;
}

function closedMembers(schemas: unknown): unknown {
  if (typeof schemas !== 'object' || schemas === null) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closed(schema)]));
}

/** The parts of an `allOf` see each other's properties, so none of them may be closed. */
const hasAllOf = (schema: unknown): boolean => JSON.stringify(schema).includes('"allOf"');
