import type { Json, JsonSchema } from '../request/inferRequest.ts';
import { type LinearPattern, linearPattern } from './linearPattern.ts';
import { isFields, maps, opaque, type SchemaFields } from './schemaShape.ts';

/** Formats that are checked. The validator's other formats can take too long. */
const formats: ReadonlySet<string> = new Set([
  'date',
  'time',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

/** Begins the names of formats that stand for patterns. */
export const patternPrefix = 'pattern:';

/** A schema that the validator can run on one value. */
export interface RunnableSchema {
  schema: JsonSchema;
  /** The patterns, by the names of their formats. */
  patterns: ReadonlyMap<string, LinearPattern>;
  /** Patterns that cannot run. They are not checked. */
  skipped: string[];
}

/**
 * Prepares a schema for a value. The validator runs patterns on an engine that may take exponential
 * time, so none of them reaches it: a pattern becomes a format of its own, and the patterns of
 * properties become the names of the value's properties that they match.
 */
export function runnableSchema(schema: JsonSchema, value: Json): RunnableSchema {
  const preparation = new Preparation(value);
  const prepared = typeof schema === 'boolean' ? schema : preparation.prepare(schema);
  return { schema: prepared, patterns: preparation.patterns, skipped: preparation.skipped };
}

class Preparation {
  readonly patterns = new Map<string, LinearPattern>();
  readonly skipped: string[] = [];
  readonly #value: Json;
  #names: string[] | undefined;

  constructor(value: Json) {
    this.#value = value;
  }

  prepare(schema: SchemaFields): SchemaFields {
    const { pattern, format, patternProperties, ...rest } = schema;
    const prepared = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, this.#keyword(key, value)]));
    if (typeof format === 'string' && formats.has(format)) prepared['format'] = format;
    if (typeof pattern === 'string') this.#addPattern(pattern, prepared);
    if (isFields(patternProperties)) this.#addPatternProperties(patternProperties, prepared);
    return prepared;
  }

  #keyword(keyword: string, value: Json): Json {
    if (opaque.has(keyword) || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => this.#inner(each));
    return maps.has(keyword) ? this.#map(value) : this.prepare(value);
  }

  #map(value: SchemaFields): SchemaFields {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#inner(each)]));
  }

  #inner(value: Json): Json {
    return isFields(value) ? this.prepare(value) : value;
  }

  #addPattern(pattern: string, prepared: SchemaFields): void {
    const run = this.#compiled(pattern);
    if (!run) return;
    const name = `${patternPrefix}${pattern}`;
    this.patterns.set(name, run);
    const others = Array.isArray(prepared['allOf']) ? prepared['allOf'] : [];
    prepared['allOf'] = [...others, { format: name }];
  }

  #addPatternProperties(given: SchemaFields, prepared: SchemaFields): void {
    const runnable = Object.entries(given).map(([pattern, schema]) => ({ run: this.#compiled(pattern), schema }));
    if (runnable.some(({ run }) => !run)) {
      // The names that the pattern takes would count as additional ones.
      delete prepared['additionalProperties'];
      delete prepared['unevaluatedProperties'];
    }
    const entries = runnable.flatMap(({ run, schema }) => {
      const names = run ? this.#allNames().filter(run) : [];
      return names.length > 0 ? [[onlyNames(names), this.#inner(schema)] as const] : [];
    });
    // Two patterns may take the same names.
    const merged = new Map<string, Json[]>();
    for (const [names, schema] of entries) merged.set(names, [...(merged.get(names) ?? []), schema]);
    prepared['patternProperties'] = Object.fromEntries([...merged].map(([names, allOf]) => [names, { allOf }]));
  }

  #compiled(pattern: string): LinearPattern | undefined {
    const run = linearPattern(pattern);
    if (!run && !this.skipped.includes(pattern)) this.skipped.push(pattern);
    return run;
  }

  /** The names of all properties in the value. */
  #allNames(): string[] {
    this.#names ??= [...namesIn(this.#value)];
    return this.#names;
  }
}

function namesIn(value: Json, names = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const each of value) namesIn(each, names);
  else if (isFields(value)) {
    for (const [name, each] of Object.entries(value)) {
      names.add(name);
      namesIn(each, names);
    }
  }
  return names;
}

/** A pattern that matches these names alone. It never tries one twice. */
const onlyNames = (names: readonly string[]): string =>
  `^(?:${names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|')})$`;
