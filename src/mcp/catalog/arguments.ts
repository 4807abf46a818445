import { invalid } from '../../engine/errors.ts';
import type { JsonDocument } from '../../engine/json/index.ts';
import { type Field, type JsonSchema, Query, type Route, type RouteRequest } from '../../rest/index.ts';
import { shortSchema } from './words.ts';

/** An argument of a tool: how models see it. */
export interface Argument {
  schema: JsonSchema;
  required: boolean;
}

export type Arguments = Record<string, Argument>;

/** The bound of an answer, which every tool takes. */
export const maxBytesRange = { min: 1_024, max: 131_072 } as const;

const maxBytes: Argument = {
  schema: { type: 'integer', minimum: maxBytesRange.min, maximum: maxBytesRange.max },
  required: false,
};

/** Names of a route's path: `{id}` is an argument `id`. */
export const pathNames = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** The arguments that a route's path, parameters and body make, in this order. */
export function argumentsOfRoute(route: Route, left: readonly string[] = []): Arguments {
  const found: Arguments = {};
  for (const name of pathNames(route.path)) found[name] = { schema: { type: 'string' }, required: true };
  for (const [name, { schema, json }] of Object.entries(route.parameters))
    found[name] = { schema: shortSchema(name, json ?? schema), required: false };
  for (const [name, field] of Object.entries(route.body?.fields ?? {})) found[name] = argumentOfField(field);
  for (const name of left) delete found[name];
  return found;
}

export const argumentOfField = ({ schema, description, required }: Field<unknown>): Argument => ({
  schema: { ...schema, description },
  required,
});

/** The JSON Schema of a tool's arguments. */
export function inputSchemaOf(given: Arguments): JsonSchema {
  const all = { ...given, maxBytes };
  const required = Object.entries(all).flatMap(([name, argument]) => (argument.required ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(all).map(([name, { schema }]) => [name, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/**
 * Checks the names of the arguments. Throws `invalid` for an unknown or a missing one, with what is
 * accepted.
 */
export function checkNames({ name, inputSchema }: { name: string; inputSchema: JsonSchema }, given: object): void {
  const known = Object.keys(inputSchema.properties ?? {});
  const unknown = Object.keys(given).find((each) => !known.includes(each));
  if (unknown !== undefined)
    throw invalid(`unknown argument ${JSON.stringify(shortened(unknown))}: ${name} takes ${known.join(', ')}`);
  for (const each of inputSchema.required ?? []) {
    const value = Object.hasOwn(given, each) ? Reflect.get(given, each) : undefined;
    if (value === undefined || value === null || value === '') throw invalid(`${each} is required`);
  }
}

const shortened = (name: string): string => (name.length > 100 ? `${name.slice(0, 100)}…` : name);

/** The bound that the caller asked for. Throws `invalid` outside of the accepted range. */
export function readMaxBytes(given: JsonDocument, byDefault: number): number {
  const value = memberOf(given, 'maxBytes') ?? byDefault;
  const { min, max } = maxBytesRange;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw invalid(`maxBytes must be an integer from ${min} to ${max}`);
  return value;
}

/** An own member of the arguments, never one of the prototype. Null counts as absent. */
export function memberOf({ value }: JsonDocument, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name) ?? undefined;
}

/** Values that stand for those of the arguments. */
export type Overrides = Readonly<Record<string, string | undefined>>;

/**
 * The request of REST that the arguments stand for. Throws `invalid` for a value of a wrong type.
 */
export const toRequest = (route: Route, given: JsonDocument, instead: Overrides = {}): RouteRequest => ({
  path: Object.fromEntries(pathNames(route.path).map((name) => [name, textOf(given, name)])),
  query: new Query([
    ...queryOf(route, given).filter(([name]) => !(name in instead)),
    ...Object.entries(instead).flatMap(([name, value]): [string, string][] =>
      value !== undefined && name in route.parameters ? [[name, value]] : [],
    ),
  ]),
  body: route.body && bodyOf(Object.keys(route.body.fields), given, instead),
});

/** The members of the arguments that the body of a route has. Payloads keep their text. */
function bodyOf(names: readonly string[], given: JsonDocument, instead: Overrides): JsonDocument {
  const members = names.flatMap((name): [string, unknown][] => {
    const value = instead[name] ?? memberOf(given, name);
    const isThere = value !== undefined || given.raw(name) !== undefined;
    return isThere ? [[name, value ?? null]] : [];
  });
  return {
    text: given.text,
    value: Object.fromEntries(members),
    raw: (first, ...rest) =>
      names.includes(String(first)) ? given.raw(...(first === undefined ? [] : [first]), ...rest) : undefined,
  };
}

function textOf(given: JsonDocument, name: string): string {
  const value = memberOf(given, name);
  if (typeof value !== 'string') throw invalid(`${name} must be a string`);
  return value;
}

const queryOf = ({ parameters }: Route, given: JsonDocument): [string, string][] =>
  Object.entries(parameters).flatMap(([name, { family }]): [string, string][] => {
    const value = memberOf(given, name);
    if (value === undefined) return [];
    if (!family) return [[name, wordOf(name, value)]];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${name} must be an object`);
    return Object.entries(value).map(([key, each]) => [`${name}.${key}`, wordOf(`${name}.${key}`, each)]);
  });

function wordOf(name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return String(value);
  throw invalid(`${name} must be a string, a number, true or false`);
}
