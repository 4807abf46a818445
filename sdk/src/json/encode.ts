import { NotJsonError } from '../errors.ts';
import { hasToJson, unsupportedObject, unsupportedPrimitive, unsupportedToJson } from './unsupported.ts';

/** The service refuses bodies nested deeper than 500 levels; an answer wraps a value in a few. */
const depthLimit = 480;

/**
 * The JSON text of a value, or undefined for `undefined`. Throws a `NotJsonError` that names the
 * position of a value that JSON would silently change. As usual, an `undefined` property is
 * omitted, extra properties of an array too, and `-0` becomes `0`.
 */
export function encodeJson(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  check(value, [], '');
  return JSON.stringify(value);
}

type Path = (string | number)[];

function check(value: unknown, path: Path, key: string): void {
  // JSON calls `toJSON` once, and does not call it on the result.
  const hasOwnJson = hasToJson(value);
  if (hasOwnJson) refuse(unsupportedToJson(value), path);
  const json: unknown = hasOwnJson ? value.toJSON(key) : value;
  if (typeof json !== 'object') refuse(unsupportedPrimitive(json), path);
  else if (json !== null) checkObject(json, path);
}

function checkObject(value: object, path: Path): void {
  if (path.length > depthLimit) throw tooDeep(value);
  if (Array.isArray(value)) checkItems(value, path);
  else if (isBoxed(value)) check(value.valueOf(), path, '');
  else {
    refuse(unsupportedObject(value), path);
    checkMembers(value, path);
  }
}

/** JSON writes a boxed value as its primitive. */
function isBoxed(value: object): boolean {
  return value instanceof Number || value instanceof String || value instanceof Boolean;
}

function checkMembers(value: object, path: Path): void {
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    path.push(name);
    check(member, path, name);
    path.pop();
  }
}

function checkItems(items: unknown[], path: Path): void {
  // By index, because JSON writes the holes of an array as `null`.
  for (let index = 0; index < items.length; index += 1) {
    path.push(index);
    check(items[index], path, String(index));
    path.pop();
  }
}

function refuse(unsupported: string | undefined, path: Path): void {
  if (unsupported === undefined) return;
  const at = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  throw new NotJsonError(
    `${at === '' ? 'it is' : `"${at.replace(/^\./, '')}" is`} ${unsupported}, which JSON cannot carry`,
  );
}

/** A cycle first appears as excessive depth; only this error path tells them apart. */
function tooDeep(value: object): NotJsonError {
  try {
    JSON.stringify(value);
  } catch (cause) {
    // Excessive depth without a cycle overflows the stack: a RangeError.
    if (cause instanceof TypeError) return new NotJsonError('it refers to itself, which JSON cannot carry');
  }
  return new NotJsonError(`it is nested deeper than ${depthLimit} levels`);
}
