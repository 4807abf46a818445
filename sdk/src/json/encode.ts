import { NotJsonError } from '../errors.ts';
import { hasToJson, unsayableByItself, unsayableObject, unsayablePrimitive } from './unsayable.ts';

/**
 * The service refuses bodies nested deeper than 500; an answer wraps a value in a few levels of its
 * own.
 */
const depthLimit = 480;

/**
 * The JSON text of a value, or undefined for `undefined`. What JSON would change in silence is
 * refused by a `NotJsonError` that says where it stands. As everyone expects, a property that is
 * `undefined` is left out, and so is what an array has besides its items; `-0` becomes `0`.
 */
export function encodeJson(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  check(value, [], '');
  return JSON.stringify(value);
}

type Path = (string | number)[];

function check(value: unknown, path: Path, key: string): void {
  // JSON asks once: what it is told then, it takes as it is.
  const saysItself = hasToJson(value);
  if (saysItself) refuse(unsayableByItself(value), path);
  const said: unknown = saysItself ? value.toJSON(key) : value;
  if (typeof said !== 'object') refuse(unsayablePrimitive(said), path);
  else if (said !== null) checkObject(said, path);
}

function checkObject(value: object, path: Path): void {
  if (path.length > depthLimit) throw tooDeep(value);
  if (Array.isArray(value)) checkItems(value, path);
  else if (isBoxed(value)) check(value.valueOf(), path, '');
  else {
    refuse(unsayableObject(value), path);
    checkMembers(value, path);
  }
}

/** JSON writes it as the primitive that it holds. */
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
  // By index, so that holes count as the `null` that JSON would make of them.
  for (let index = 0; index < items.length; index += 1) {
    path.push(index);
    check(items[index], path, String(index));
    path.pop();
  }
}

function refuse(unsayable: string | undefined, path: Path): void {
  if (unsayable === undefined) return;
  const at = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  throw new NotJsonError(
    `${at === '' ? 'it is' : `"${at.replace(/^\./, '')}" is`} ${unsayable}, which JSON cannot say`,
  );
}

/**
 * A cycle shows itself as endless depth; telling it apart is left to the moment when it matters.
 */
function tooDeep(value: object): NotJsonError {
  try {
    JSON.stringify(value);
  } catch (cause) {
    // What is merely far too deep overflows the stack: a RangeError.
    if (cause instanceof TypeError) return new NotJsonError('it refers to itself, which JSON cannot say');
  }
  return new NotJsonError(`it is nested deeper than ${depthLimit} levels`);
}
