import type { Json, JsonSchema } from '../../../engine/inference/index.ts';

type Fields = { readonly [key: string]: Json };

const nested = ['properties', '$defs', 'definitions'] as const;
const lists = ['anyOf'] as const;
const single = ['items'] as const;

/** Keywords that strict decoding refuses. */
const refused = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'prefixItems',
  'contains',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'default',
] as const;

const formats: readonly Json[] = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];

/**
 * Whether OpenAI's strict decoding takes a schema: each object names all of its properties, each of
 * them is required, and there is none of the keywords that it refuses. Other schemas are sent as a
 * description, and the answer is checked here anyway.
 */
export function isStrictSchema(schema: JsonSchema): boolean {
  return typeof schema !== 'boolean' && schema['type'] === 'object' && isStrict(schema, 0);
}

function isStrict(schema: Json | undefined, depth: number): boolean {
  if (schema === undefined) return true;
  if (!isFields(schema) || depth > 5) return false;
  if (refused.some((keyword) => keyword in schema)) return false;
  const { format, pattern } = schema;
  if (format !== undefined && !formats.includes(format)) return false;
  // Groups that look ahead or behind are refused.
  if (typeof pattern === 'string' && pattern.includes('(?')) return false;
  if (isObjectSchema(schema) && !isClosed(schema)) return false;
  return subschemas(schema).every((each) => isStrict(each, depth + 1));
}

const isObjectSchema = ({ type, properties }: Fields): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || properties !== undefined;

function isClosed({ properties, required, additionalProperties }: Fields): boolean {
  if (additionalProperties !== false || !isFields(properties)) return false;
  const names: readonly Json[] = Array.isArray(required) ? required : [];
  return Object.keys(properties).every((name) => names.includes(name));
}

function subschemas(schema: Fields): Json[] {
  const maps = nested.flatMap((keyword) => valuesOf(schema[keyword]));
  const arrays = lists.flatMap((keyword) => valuesOf(schema[keyword]));
  const others = single.flatMap((keyword) => schema[keyword] ?? []);
  return [...maps, ...arrays, ...others];
}

const valuesOf = (value: Json | undefined): Json[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];

const isFields = (value: Json | undefined): value is Fields & { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
