import { maxNameLength } from '../../engine/codePoints.ts';
import { invalid } from '../../engine/errors.ts';
import { delayText, maxStartMs, startAtText, ttlText } from '../../engine/ingest/index.ts';
import type { JsonDocument, RawJson } from '../../engine/json/index.ts';
import { maxTags, tagKeyPattern } from '../../engine/runs/index.ts';
import type { JsonSchema } from './jsonSchema.ts';
import { readInstant, readWord } from './parameters.ts';

/**
 * A field of a JSON body: how it is read, and how OpenAPI describes it. Only the JSON type is
 * checked here; the engine checks the value.
 */
export interface Field<T> {
  description: string;
  schema: JsonSchema;
  required: boolean;
  /** Whether null is accepted, and counts as absent. */
  takesNull?: boolean;
  /** The fields of each element, if it is a list of objects. */
  of?: Fields;
  /** Throws `invalid` with the field's name if its type is wrong. */
  read(body: JsonDocument, name: string): T;
}

export interface Fields {
  [name: string]: Field<unknown>;
}

export type FieldValues<F extends Fields> = { [Name in keyof F]: ReturnType<F[Name]['read']> };

/**
 * Reads the declared fields of a body, and ignores others unless the body is strict. Throws
 * `invalid` unless the body is an object.
 */
export function readFields<F extends Fields>(
  fields: F | undefined,
  body: JsonDocument,
  isStrict = false,
): FieldValues<F> {
  if (typeof body.value !== 'object' || body.value === null || Array.isArray(body.value))
    throw invalid('the body must be a JSON object');
  if (isStrict && fields) refuseUnknown('field', body.value, fields);
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields ?? {})) values[name] = field.read(body, name);
  return values as FieldValues<F>;
}

/** Throws `invalid` for the first name that is not among the known ones. */
export function refuseUnknown(
  kind: 'field' | 'parameter',
  given: object,
  known: object,
  holder = kind === 'field' ? 'the body' : 'the query string',
): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const shown = unknown.length > maxShownName ? `${unknown.slice(0, maxShownName)}…` : unknown;
  const allowed = Object.keys(known).join(', ') || `no ${kind}`;
  throw invalid(`unknown ${kind} ${JSON.stringify(shown)}: ${holder} may have ${allowed}`);
}

const maxShownName = 100;

/** An optional string. Null counts as absent. */
export const optionalText = (description: string, maxLength = maxNameLength): Field<string | undefined> => ({
  description,
  schema: { type: 'string', maxLength },
  required: false,
  takesNull: true,
  read(body, name) {
    const value = member(body, name) ?? undefined;
    if (value !== undefined && typeof value !== 'string') throw invalid(`${name} must be a string`);
    return value;
  },
});

export const requiredText = (description: string, maxLength = maxNameLength): Field<string> => ({
  description,
  schema: { type: 'string', minLength: 1, maxLength },
  required: true,
  read(body, name) {
    const value = member(body, name) ?? undefined;
    if (value === undefined) throw invalid(`${name} is required`);
    if (typeof value !== 'string') throw invalid(`${name} must be a string`);
    return value;
  },
});

export const requiredWord = <const Word extends string>(words: readonly Word[], description: string): Field<Word> => ({
  description,
  schema: { type: 'string', enum: words },
  required: true,
  read: (body, name) => readWord(words, member(body, name), name),
});

/** An optional word of a closed list. Null counts as absent. */
export const optionalWord = <const Word extends string>(
  words: readonly Word[],
  description: string,
): Field<Word | undefined> => ({
  description,
  schema: { type: 'string', enum: words },
  required: false,
  takesNull: true,
  read(body, name) {
    const value = member(body, name) ?? undefined;
    return value === undefined ? undefined : readWord(words, value, name);
  },
});

/** An optional RFC 3339 instant, answered in UTC with milliseconds. Null counts as absent. */
export const optionalInstant = (description: string): Field<string | undefined> => ({
  description,
  schema: { type: 'string', format: 'date-time' },
  required: false,
  takesNull: true,
  read(body, name) {
    const value = member(body, name) ?? undefined;
    return value === undefined ? undefined : readInstant(value, name);
  },
});

/** An optional switch. Null counts as absent. */
export const optionalFlag = (description: string): Field<boolean | undefined> => ({
  description,
  schema: { type: 'boolean' },
  required: false,
  takesNull: true,
  read(body, name) {
    const value = member(body, name) ?? undefined;
    if (value !== undefined && typeof value !== 'boolean') throw invalid(`${name} must be true or false`);
    return value;
  },
});

/** An optional list of strings. Null counts as absent. */
export const optionalTexts = (description: string): Field<string[] | undefined> => ({
  description,
  schema: { type: 'array', items: { type: 'string', maxLength: maxNameLength } },
  required: false,
  takesNull: true,
  read(body, name) {
    const value = member(body, name) ?? undefined;
    return value === undefined ? undefined : readTexts(value, name);
  },
});

/** An optional list of words of a closed list. Null counts as absent. */
export const optionalWords = <const Word extends string>(
  words: readonly Word[],
  description: string,
): Field<Word[] | undefined> => ({
  description,
  schema: { type: 'array', items: { type: 'string', enum: words } },
  required: false,
  takesNull: true,
  read(body, name) {
    const value = member(body, name) ?? undefined;
    return value === undefined ? undefined : readTexts(value, name).map((each) => readWord(words, each, name));
  },
});

export const requiredWords = <const Word extends string>(
  words: readonly Word[],
  description: string,
): Field<Word[]> => ({
  description,
  schema: { type: 'array', minItems: 1, items: { type: 'string', enum: words } },
  required: true,
  read(body, name) {
    const value = member(body, name) ?? undefined;
    if (value === undefined) throw invalid(`${name} is required`);
    return readTexts(value, name).map((each) => readWord(words, each, name));
  },
});

function readTexts(value: unknown, name: string): string[] {
  const isTexts = Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (!isTexts) throw invalid(`${name} must be a list of strings`);
  return value;
}

/** The same field, but null is a value of its own: it clears what was set. */
export const clearable = <T>(field: Field<T>): Field<T | null> => ({
  ...field,
  schema: { oneOf: [field.schema, { type: 'null' }] },
  read: (body, name) => (member(body, name) === null ? null : field.read(body, name)),
});

/** The same field, but null is passed on, for the engine to refuse. */
export const neverNull = <T>(field: Field<T>): Field<T | null> => ({
  ...clearable(field),
  schema: field.schema,
  takesNull: false,
});

/** The same field, with more of its rules in its schema. The engine checks them. */
export const narrowed = <T>(field: Field<T>, rules: JsonSchema): Field<T> => ({
  ...field,
  schema: { ...field.schema, ...rules },
});

/** Any JSON, kept as the text that was sent. Null is a value. */
export const payload = (description: string): Field<RawJson | undefined> => ({
  description,
  schema: {},
  required: false,
  read: (body, name) => body.raw(name),
});

/** Tags (2.8), checked by the engine. Null counts as absent. */
export const tags: Field<unknown> = {
  description: `At most ${maxTags} tags; keys of 1 to 64 characters of A-Z a-z 0-9 _ . -, values of up to ${maxNameLength} characters.`,
  schema: {
    type: 'object',
    maxProperties: maxTags,
    propertyNames: { type: 'string', pattern: tagKeyPattern.source },
    additionalProperties: { type: 'string', maxLength: maxNameLength },
  },
  required: false,
  takesNull: true,
  read: (body, name) => member(body, name) ?? undefined,
};

/** An optional whole number of milliseconds. Null counts as absent. */
const optionalMs = (description: string, maximum: number): Field<number | undefined> => ({
  description,
  schema: { type: 'integer', minimum: 1, maximum },
  required: false,
  takesNull: true,
  read(body, name) {
    const value = member(body, name) ?? undefined;
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maximum) return value;
    throw invalid(`${name} must be an integer from 1 to ${maximum}`);
  },
});

/** When the runs of an event or a trigger start, and how long their starts hold. */
export const timing = {
  startAt: optionalInstant(startAtText),
  delayMs: optionalMs(delayText, maxStartMs),
  ttlMs: optionalMs(ttlText, maxStartMs),
};

/** A field for the description only, because another parser reads the whole body. */
export const described = (schema: JsonSchema, description: string, required = false): Field<unknown> => ({
  description,
  schema,
  required,
  read: (body, name) => member(body, name),
});

/** Reads an own member of the body, never one of the prototype. */
export function member(body: JsonDocument, name: string): unknown {
  return typeof body.value === 'object' && body.value !== null && Object.hasOwn(body.value, name)
    ? Reflect.get(body.value, name)
    : undefined;
}
