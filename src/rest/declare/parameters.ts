import { isLongerThan, maxNameLength } from '../../engine/codePoints.ts';
import { invalid } from '../../engine/errors.ts';
import { parseInstant } from '../../engine/instant.ts';
import { bucketSizes, maxCursorLength, pageSizes, type Sizes } from '../../engine/paging/index.ts';
import { maxTags, type TagFilter, tagKeyPattern } from '../../engine/runs/index.ts';
import { maxInt32 } from '../../engine/settings.ts';
import { nextCursorHeader } from './answer.ts';
import type { JsonSchema } from './jsonSchema.ts';
import type { Query } from './query.ts';

/** A query parameter: how it is read, and how OpenAPI describes it. */
export interface Parameter<T> {
  description: string;
  schema: JsonSchema;
  /** Reads the value. Throws `invalid` with the parameter's name and the accepted values. */
  read(query: Query, name: string): T;
  /** Whether the parameter stands for all names of the form `<name>.<key>`. */
  family?: boolean;
  /** The schema of the value in JSON, where that differs from its text in a URL. */
  json?: JsonSchema;
}

export type Parameters = Record<string, Parameter<unknown>>;

export type ParameterValues<P extends Parameters> = { [Name in keyof P]: ReturnType<P[Name]['read']> };

export function readParameters<P extends Parameters>(parameters: P | undefined, query: Query): ParameterValues<P> {
  const values: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(parameters ?? {})) values[name] = parameter.read(query, name);
  return values as ParameterValues<P>;
}

/** A name, an id or a search word. An empty value counts as absent. */
export const text = (description: string): Parameter<string | undefined> => ({
  description,
  schema: { type: 'string', maxLength: maxNameLength },
  read(query, name) {
    const value = query.one(name) || undefined;
    if (value !== undefined && isLongerThan(value, maxNameLength))
      throw invalid(`${name} is longer than ${maxNameLength} characters`);
    return value;
  },
});

/**
 * The position of a page, as an earlier page of the same list answered it. An empty value counts as
 * absent.
 */
export const cursor = (
  description = `The end of the previous page: its ${nextCursorHeader}.`,
): Parameter<string | undefined> => ({
  description,
  schema: { type: 'string', maxLength: maxCursorLength },
  read: (query, name) => query.one(name) || undefined,
});

/**
 * A page size. A value above `max` counts as `max`; throws `invalid` unless it is an integer of at
 * least 1 (8).
 */
export const pageSize = ({ default: byDefault, max }: Sizes = pageSizes.usual): Parameter<number> => ({
  description: `The page size; a value above ${max} counts as ${max}.`,
  schema: { type: 'integer', minimum: 1, default: byDefault },
  read(query, name) {
    const value = query.one(name);
    if (value === undefined) return byDefault;
    if (!/^\d+$/.test(value) || Number(value) < 1)
      throw invalid(`${name} must be an integer from 1 to ${max} (more counts as ${max})`);
    return Math.min(Number(value), max);
  },
});

/** A position in a run's journal: only later entries are answered (4.4, 4.5). */
export const sequence = (description: string): Parameter<number | undefined> => ({
  description,
  schema: { type: 'integer', minimum: 0, maximum: maxInt32 },
  read(query, name) {
    const value = query.one(name);
    return value === undefined ? undefined : readSequence(value, name);
  },
});

export function readSequence(value: string, name: string): number {
  const seq = Number(value);
  if (!/^\d+$/.test(value) || seq > maxInt32) throw invalid(`${name} must be an integer from 0 to ${maxInt32}`);
  return seq;
}

/** The width of a time bucket (4.4). */
export const bucketWidth: Parameter<number> = {
  description: 'The width of a bucket, in seconds.',
  schema: { type: 'integer', minimum: 1, maximum: bucketSizes.max, default: bucketSizes.default },
  read(query, name) {
    const value = query.one(name);
    if (value === undefined) return bucketSizes.default;
    if (!/^\d+$/.test(value) || Number(value) < 1 || Number(value) > bucketSizes.max)
      throw invalid(`${name} must be an integer of seconds from 1 to ${bucketSizes.max}`);
    return Number(value);
  },
};

export const oneOf = <const Word extends string>(
  words: readonly Word[],
  description: string,
): Parameter<Word | undefined> => ({
  description,
  schema: { type: 'string', enum: words },
  read(query, name) {
    const value = query.one(name);
    return value === undefined ? undefined : readWord(words, value, name);
  },
});

/** Throws `invalid` with the accepted words. */
export function readWord<const Word extends string>(words: readonly Word[], value: unknown, name: string): Word {
  const word = words.find((each) => each === value);
  if (word === undefined) throw invalid(`${name} must be one of ${words.join(', ')}`);
  return word;
}

/** A switch: `1` or `true` turns it on. */
export const flag = (description: string): Parameter<boolean> => ({
  description,
  schema: { type: 'string', enum: ['1', 'true', '0', 'false'] },
  json: { type: 'boolean' },
  read(query, name) {
    const value = query.one(name);
    if (value === undefined || value === '0' || value === 'false') return false;
    if (value === '1' || value === 'true') return true;
    throw invalid(`${name} must be 1 or 0`);
  },
});

/** Words of a closed list, with commas between. An empty value counts as absent. */
export const someOf = <const Word extends string>(
  words: readonly Word[],
  description: string,
): Parameter<Word[] | undefined> => ({
  description: `${description} Words are separated by commas.`,
  schema: { type: 'string', pattern: `^(${words.join('|')})(,(${words.join('|')}))*$` },
  json: { type: 'array', items: { type: 'string', enum: words } },
  read: (query, name) => {
    const value = query.one(name);
    return value ? value.split(',').map((each) => readWord(words, each, name)) : undefined;
  },
});

/** A switch that selects only if it is given: `1` or `0`. */
export const flagOrAbsent = (description: string): Parameter<boolean | undefined> => ({
  ...flag(description),
  read: (query, name) => (query.one(name) === undefined ? undefined : flag(description).read(query, name)),
});

/** An RFC 3339 instant, answered in UTC with milliseconds. */
export const timestamp = (description: string): Parameter<string | undefined> => ({
  description,
  schema: { type: 'string', format: 'date-time' },
  read(query, name) {
    const value = query.one(name);
    return value === undefined ? undefined : readInstant(value, name);
  },
});

/** Throws `invalid` unless the value is an RFC 3339 instant. */
export function readInstant(value: unknown, name: string): string {
  const at = typeof value === 'string' ? parseInstant(value) : undefined;
  if (!at) throw invalid(`${name} must be an RFC 3339 timestamp, such as 2026-01-31T08:00:00Z`);
  return at.toISOString();
}

/** `<key>=<value>`. */
const tagText = tagKeyPattern.source.replace('$', `=[\\s\\S]{0,${maxNameLength}}$`);

/**
 * The parameters `tag.<key>=<value>`, and `tag=<key>=<value>` for clients whose names of parameters
 * are fixed. Each one must match (4.4). The limits are those of tags (2.8).
 */
export const tagFilters: Parameter<TagFilter[]> = {
  description:
    'Only runs that have this tag, as `<key>=<value>`. All given ones must match. A URL may also say `tag.<key>=<value>`.',
  schema: {
    type: 'array',
    maxItems: maxTags,
    items: { type: 'string', pattern: tagText },
  },
  json: { type: 'object', additionalProperties: { type: 'string', maxLength: maxNameLength } },
  family: true,
  read(query, name) {
    const filters = query.entries.flatMap(([each, value]): TagFilter[] => {
      if (each.startsWith(`${name}.`)) return [readTag(name, each.slice(name.length + 1), value)];
      if (each !== name) return [];
      const equals = value.indexOf('=');
      if (equals === -1) throw invalid(`${name} must be <key>=<value>`);
      return [readTag(name, value.slice(0, equals), value.slice(equals + 1))];
    });
    if (filters.length > maxTags) throw invalid(`at most ${maxTags} ${name}.<key> filters`);
    return filters;
  },
};

function readTag(name: string, key: string, value: string): TagFilter {
  if (!tagKeyPattern.test(key)) throw invalid(`${name}.<key>: a key has 1 to 64 characters of A-Z a-z 0-9 _ . -`);
  if (isLongerThan(value, maxNameLength)) throw invalid(`${name}.${key} is longer than ${maxNameLength} characters`);
  return { key, value };
}

/** The query parameters of streams, in place of headers that an `EventSource` cannot send. */
export const streamParameters = {
  ticket: text('A stream ticket, in place of a key.'),
};

/** The parameter of a stream that resumes, for the first request of a new `EventSource`. */
export const lastEventParameter = ({ schema }: { schema: JsonSchema }): Parameter<string | undefined> => ({
  description: 'In place of the header `Last-Event-ID`, which wins over it.',
  schema,
  read: (query, name) => query.one(name) || undefined,
});
