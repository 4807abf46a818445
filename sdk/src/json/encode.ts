import { NotJsonError } from '../errors.ts';

/** The service refuses bodies nested deeper than 500; an answer wraps a value in a few levels of its own. */
const depthLimit = 480;

/** Builtins that JSON would write as `{}`, losing what they hold. */
const lossy = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'Promise', 'RegExp', 'Error', 'ArrayBuffer']);

/**
 * The JSON text of a value, or undefined for `undefined`. What JSON would change in silence is refused by a
 * `NotJsonError` that says where it stands; only a property that is `undefined` is left out, as everyone expects.
 */
export function encodeJson(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  check(value, [], '');
  return JSON.stringify(value);
}

function check(value: unknown, path: (string | number)[], key: string): void {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return;
    case 'number':
      if (!Number.isFinite(value)) throw refusal(path, String(value));
      return;
    case 'object':
      if (value !== null) checkObject(value, path, key);
      return;
    default:
      if (!hasToJson(value)) throw refusal(path, value === undefined ? 'undefined' : `a ${typeof value}`);
      check(value.toJSON(key), path, key);
  }
}

function checkObject(value: object, path: (string | number)[], key: string): void {
  if (path.length > depthLimit) throw tooDeep(value);
  if (hasToJson(value)) {
    check(value.toJSON(key), path, key);
  } else if (Array.isArray(value)) {
    checkItems(value, path);
  } else {
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (lossy.has(kind)) throw refusal(path, kind === 'Promise' ? 'a Promise (is an await missing?)' : `a ${kind}`);
    checkMembers(value, path);
  }
}

function checkMembers(value: object, path: (string | number)[]): void {
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    path.push(name);
    check(member, path, name);
    path.pop();
  }
}

function checkItems(items: unknown[], path: (string | number)[]): void {
  // By index, so that holes count as the `null` that JSON would make of them.
  for (let index = 0; index < items.length; index += 1) {
    path.push(index);
    check(items[index], path, String(index));
    path.pop();
  }
}

function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  if (typeof value !== 'object' && typeof value !== 'bigint' && typeof value !== 'function') return false;
  return value !== null && 'toJSON' in Object(value) && typeof Object(value).toJSON === 'function';
}

function refusal(path: (string | number)[], what: string): NotJsonError {
  const at = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return new NotJsonError(`${at === '' ? 'it is' : `"${at.replace(/^\./, '')}" is`} ${what}, which JSON cannot say`);
}

/** A cycle shows itself as endless depth; telling it apart is left to the moment when it matters. */
function tooDeep(value: object): NotJsonError {
  try {
    JSON.stringify(value);
  } catch (cause) {
    // What is merely far too deep overflows the stack: a RangeError.
    if (cause instanceof TypeError) return new NotJsonError('it refers to itself, which JSON cannot say');
  }
  return new NotJsonError(`it is nested deeper than ${depthLimit} levels`);
}
