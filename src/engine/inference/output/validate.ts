import { createContext, Script } from 'node:vm';
import { format, type OutputUnit, Validator } from '@cfworker/json-schema';
import type { Json, JsonSchema } from '../request/inferRequest.ts';
import { forgetPatterns, type LinearPattern } from './linearPattern.ts';
import { patternPrefix, runnableSchema } from './runnableSchema.ts';

/** What does not fit a schema. */
export interface Problem {
  /** A JSON pointer into the value. Empty: the value itself. */
  path: string;
  keyword: string;
  message: string;
}

export interface Validation {
  /** Empty: the value fits. At most ten. */
  problems: Problem[];
  /** Patterns that were not checked, because the linear engine cannot run them. */
  skipped: string[];
}

export const maxProblems = 10;

/** A check that takes longer ends. Schemas can ask for exponential work without any pattern. */
const maxMs = 1_000;

/** Looking for further problems ends earlier: the first one is known by then. */
const allProblemsMs = 200;

/** Keywords that only say that there is a problem further inside. */
const outer: ReadonlySet<string> = new Set([
  '$ref',
  'allOf',
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'dependentSchemas',
  'prefixItems',
  'items',
  'additionalItems',
  'unevaluatedItems',
]);

/** Checks a value. Never throws, and takes a bounded time. */
export function validate(schema: JsonSchema, value: Json): Validation {
  try {
    const { schema: runnable, patterns, skipped } = withinTime(maxMs, () => runnableSchema(schema, value));
    const { valid, errors } = withPatterns(patterns, () => run(runnable, value));
    return { problems: valid ? [] : problemsOf(errors), skipped };
  } catch (error) {
    return { problems: [{ path: '', keyword: 'schema', message: reasonOf(error) }], skipped: [] };
  }
}

/** The validator finds formats in a table of its own. */
function withPatterns<T>(patterns: ReadonlyMap<string, LinearPattern>, work: () => T): T {
  for (const [name, pattern] of patterns) format[name] = pattern;
  try {
    return work();
  } finally {
    for (const name of patterns.keys()) delete format[name];
  }
}

function run(schema: JsonSchema, value: Json): { valid: boolean; errors: OutputUnit[] } {
  const first = withinTime(maxMs, () => new Validator(schema, '2020-12', true).validate(value));
  if (first.valid) return first;
  try {
    return withinTime(allProblemsMs, () => new Validator(schema, '2020-12', false).validate(value));
  } catch {
    // There are too many for the time, or for the stack.
    return first;
  }
}

/** The validator's own messages may quote the whole schema. */
function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'the schema refers to itself without end';
  return isTimeout(error) ? 'the check takes too long' : 'the schema is malformed, or refers to a part that it has not';
}

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

function problemsOf(errors: readonly OutputUnit[]): Problem[] {
  const inner = errors.filter(({ keyword }, i) => {
    if (keyword === 'false') return i === 0;
    // A part that may not exist has no problem further inside.
    return !outer.has(keyword) || errors[i + 1]?.keyword === 'false';
  });
  const problems = new Map<string, Problem>();
  for (const { instanceLocation, keyword, keywordLocation, error } of inner) {
    const path = instanceLocation.replace(/^#/, '');
    const key = `${path} ${keywordLocation} ${error}`;
    if (!problems.has(key)) problems.set(key, shown({ path, keyword, message: error }));
    if (problems.size === maxProblems) break;
  }
  return [...problems.values()];
}

function shown({ path, keyword, message }: Problem): Problem {
  const isPattern = keyword === 'format' && message.includes(`"${patternPrefix}`);
  const text = isPattern ? message.replace(`format "${patternPrefix}`, 'pattern "') : message;
  return { path: path.slice(0, 200), keyword: isPattern ? 'pattern' : keyword, message: text.slice(0, 300) };
}

const script = new Script('run()');
const sandbox: { run?: () => unknown } = {};
const context = createContext(sandbox);

/** Runs to the end, or throws when the time is up. Nothing else runs meanwhile. */
function withinTime<T>(timeout: number, work: () => T): T {
  let result: { value: T } | undefined;
  sandbox.run = () => {
    result = { value: work() };
  };
  try {
    script.runInContext(context, { timeout });
  } catch (error) {
    if (isTimeout(error)) forgetPatterns();
    throw error;
  } finally {
    delete sandbox.run;
  }
  if (!result) throw new Error('the check did not run');
  return result.value;
}
