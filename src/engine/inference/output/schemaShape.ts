import { dereference } from '@cfworker/json-schema';
import type { Json, JsonSchema } from '../request/inferRequest.ts';

/** A schema's size as JSON. */
export const maxSchemaBytes = 64 * 1024;

/** The nesting of a schema. Validators recurse. */
const maxSchemaDepth = 100;

export type SchemaFields = { [key: string]: Json };

const isString = (value: Json): boolean => typeof value === 'string';
const isNumber = (value: Json): boolean => typeof value === 'number';
const isBoolean = (value: Json): boolean => typeof value === 'boolean';
export const isFields = (value: unknown): value is SchemaFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isSchema = (value: Json): boolean => isBoolean(value) || isFields(value);
const isSchemas = (value: Json): boolean => Array.isArray(value) && value.every(isSchema);
const isSchemaMap = (value: Json): boolean => isFields(value) && Object.values(value).every(isSchema);
const types: readonly Json[] = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];
const isType = (value: Json): boolean => types.includes(value);
const isStrings = (value: Json): boolean => Array.isArray(value) && value.every(isString);

/** What the values of keywords must be. Other keywords say nothing. */
const shapes: ReadonlyMap<string, (value: Json) => boolean> = new Map([
  ...each(['$ref', '$id', '$anchor', 'pattern', 'format'], isString),
  ...each(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'], isNumber),
  ...each(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'], isNumber),
  ...each(['minContains', 'maxContains'], isNumber),
  ...each(['uniqueItems'], isBoolean),
  ...each(['required'], isStrings),
  ...each(['enum'], Array.isArray),
  ...each(['type'], (value) => isType(value) || (Array.isArray(value) && value.every(isType))),
  ...each(['not', 'if', 'then', 'else', 'contains', 'propertyNames'], isSchema),
  ...each(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'additionalItems'], isSchema),
  ...each(['items'], (value) => isSchema(value) || isSchemas(value)),
  ...each(['anyOf', 'allOf', 'oneOf', 'prefixItems'], isSchemas),
  ...each(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'], isSchemaMap),
  ...each(['dependentRequired'], (value) => isFields(value) && Object.values(value).every(isStrings)),
]);

function each(names: string[], shape: (value: Json) => boolean): [string, (value: Json) => boolean][] {
  return names.map((name) => [name, shape]);
}

/** Keywords whose values are no schemas, whatever they look like. */
export const opaque: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required', 'type']);

/** Keywords whose values are schemas by names of their own. */
export const maps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);

/**
 * Why a schema cannot be used: too large, nested too deeply, a keyword with a value of the wrong
 * kind, or a reference to another document. Undefined: it can.
 */
export function schemaProblem(schema: JsonSchema): string | undefined {
  if (Buffer.byteLength(JSON.stringify(schema)) > maxSchemaBytes) {
    return `is larger than ${maxSchemaBytes} bytes`;
  }
  return problemAt(schema, '#', 0) ?? referenceProblem(schema);
}

/** The validator resolves references on its own copy. */
function referenceProblem(schema: JsonSchema): string | undefined {
  try {
    const parts = dereference(structuredClone(schema));
    const isBroken = (part: unknown): boolean =>
      isFields(part) && typeof part['__absolute_ref__'] === 'string' && !(part['__absolute_ref__'] in parts);
    return Object.values(parts).some(isBroken) ? 'refers to a part that it does not have' : undefined;
  } catch {
    return 'has a malformed or repeated $id, $anchor or $ref';
  }
}

function problemAt(schema: Json, path: string, depth: number): string | undefined {
  if (!isFields(schema)) return undefined;
  if (depth > maxSchemaDepth) return `is nested deeper than ${maxSchemaDepth} levels`;
  for (const [keyword, value] of Object.entries(schema)) {
    const problem = keywordProblem(keyword, value, path) ?? innerProblem(keyword, value, `${path}/${keyword}`, depth);
    if (problem) return problem;
  }
  return undefined;
}

function keywordProblem(keyword: string, value: Json, path: string): string | undefined {
  if (shapes.get(keyword)?.(value) === false) return `has a malformed ${keyword} at ${path}`;
  if (keyword === '$ref' && !String(value).startsWith('#')) return `refers to another document at ${path}`;
  return undefined;
}

function innerProblem(keyword: string, value: Json, path: string, depth: number): string | undefined {
  if (opaque.has(keyword) || typeof value !== 'object' || value === null) return undefined;
  if (!maps.has(keyword) && !Array.isArray(value)) return problemAt(value, path, depth + 1);
  for (const [name, inner] of Object.entries(value)) {
    const problem = problemAt(inner, `${path}/${name}`, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}
