import { RawJson } from './rawJson.ts';

/** Deeper nesting is a bug or a cycle: input is refused at a lower limit. */
const maxDepth = 2000;

/**
 * `JSON.stringify` that writes each `RawJson`, at any depth, as its text. For plain data and
 * objects with `toJSON`: `undefined` members are omitted, and `undefined` elements become null.
 * Throws `TypeError` on values that JSON cannot express, and on cycles.
 */
export function stringifyRaw(value: unknown): string {
  const mixed = new Set<object>();
  const text = findRaw(value, mixed, 0) ? write(value, mixed, 0) : JSON.stringify(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/**
 * Whether a value contains raw JSON. Adds the arrays and objects on the way to it to `mixed`. The
 * native encoder writes all others, which is five times faster than ours.
 */
function findRaw(value: unknown, mixed: Set<object>, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof RawJson) return true;
  if (depth >= maxDepth) throw new TypeError(`value is nested deeper than ${maxDepth} levels, or cyclic`);
  if (findInMembers(value, mixed, depth + 1)) mixed.add(value);
  return mixed.has(value);
}

function findInMembers(value: object, mixed: Set<object>, depth: number): boolean {
  if (value instanceof Date) return false;
  let found = hasToJson(value);
  if (Array.isArray(value)) {
    for (const element of value) if (findRaw(element, mixed, depth)) found = true;
    return found;
  }
  for (const member of Object.values(value)) if (findRaw(member, mixed, depth)) found = true;
  return found;
}

/** Undefined for values that JSON omits. */
function write(value: unknown, mixed: Set<object>, depth: number): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof RawJson) return value.text;
  if (!mixed.has(value)) return JSON.stringify(value);
  if (hasToJson(value)) return writeAnew(value.toJSON(), depth + 1);
  if (Array.isArray(value)) return writeElements(value, mixed, depth);
  return writeMembers(value, mixed, depth);
}

function writeElements(values: readonly unknown[], mixed: Set<object>, depth: number): string {
  let text = '';
  // Visits holes, too.
  for (const element of values) text += `${text === '' ? '' : ','}${write(element, mixed, depth) ?? 'null'}`;
  return `[${text}]`;
}

function writeMembers(value: object, mixed: Set<object>, depth: number): string {
  let text = '';
  for (const [key, member] of Object.entries(value)) {
    const written = write(member, mixed, depth);
    if (written !== undefined) text += `${text === '' ? '' : ','}${quoted(key)}:${written}`;
  }
  return `{${text}}`;
}

/** Most keys are names of fields, which each object of a list repeats. */
const quoted = (key: string): string => (plainKey.test(key) ? `"${key}"` : JSON.stringify(key));
const plainKey = /^\w*$/;

/** Writes the result of a `toJSON`, which `findRaw` has not seen yet. */
function writeAnew(value: unknown, depth: number): string | undefined {
  if (depth >= maxDepth) throw new TypeError('toJSON never ends');
  const mixed = new Set<object>();
  return findRaw(value, mixed, depth) ? write(value, mixed, depth) : JSON.stringify(value);
}

const hasToJson = (value: object): value is { toJSON: () => unknown } =>
  typeof Reflect.get(value, 'toJSON') === 'function';
