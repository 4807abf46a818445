/**
 * Owns: what JSON would lose or change in silence of one value, apart from its members.
 * Does not own: the way to it inside a larger value (`encode.ts`).
 */

/** Builtins whose content JSON does not see, whatever fields somebody gave them besides. */
const lossy = new Set([
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'WeakRef',
  'Promise',
  'RegExp',
  'Error',
  'ArrayBuffer',
  'SharedArrayBuffer',
  'BigInt',
  'Symbol',
]);

const entries = 'take Object.fromEntries of it';
const items = 'spread it into an array';
const advice: Readonly<Record<string, string>> = {
  Promise: 'is an await missing?',
  Response: 'read its body first: await response.json()',
  Request: 'read its body first: await request.json()',
  Blob: 'read it first: await blob.text()',
  File: 'read it first: await file.text()',
  Map: entries,
  Headers: entries,
  URLSearchParams: entries,
  FormData: entries,
  Set: items,
  Generator: items,
  Error: 'throw it, or take its message',
};

/**
 * What is lost of a value that says itself, by `toJSON`: bytes would become an object of numbers, a
 * date that is none `null`.
 */
export function unsayableByItself(value: unknown): string | undefined {
  if (ArrayBuffer.isView(value)) return bytes(value);
  return tagOf(value) === 'Date' && Number.isNaN(Number(value)) ? 'an invalid Date' : undefined;
}

/**
 * What JSON cannot say of an object that is no array, with advice where there is any; undefined
 * where its fields are all.
 */
export function unsayableObject(value: object): string | undefined {
  return (isPlain(value) ? undefined : unsayableInstance(value)) ?? unsayableKey(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function unsayableInstance(value: object): string | undefined {
  if (ArrayBuffer.isView(value)) return bytes(value);
  // By what it is, not by the name of its class: that may be anybody's.
  return lossy.has(tagOf(value)) || hidesAll(value) ? advised(kindOf(value)) : undefined;
}

function unsayableKey(value: object): string | undefined {
  const symbol = Object.getOwnPropertySymbols(value).find((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key),
  );
  return symbol === undefined ? undefined : `an object with the key ${String(symbol)}`;
}

/** What JSON cannot say of anything else; undefined where it can. */
export function unsayablePrimitive(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : String(value);
    case 'undefined':
      return 'undefined';
    default:
      return `a ${typeof value}`;
  }
}

export function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  if (typeof value !== 'object' && typeof value !== 'bigint' && typeof value !== 'function') return false;
  return value !== null && 'toJSON' in Object(value) && typeof Object(value).toJSON === 'function';
}

/**
 * An instance of a class that has no field of its own, while its class has members to ask it by:
 * what it knows is in places that JSON does not see. So are responses, headers, iterators, and what
 * keeps everything in `#private` fields.
 */
function hidesAll(value: object): boolean {
  if (Object.keys(value).length > 0) return false;
  let prototype: unknown = Object.getPrototypeOf(value);
  while (typeof prototype === 'object' && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    if (Reflect.ownKeys(prototype).some((key) => key !== 'constructor')) return true;
    prototype = Object.getPrototypeOf(prototype);
  }
  return false;
}

/**
 * What the language takes it for, whichever realm it is of: `Object` for instances of most classes.
 */
const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice('[object '.length, -1);

/** What to call it. */
function kindOf(value: object): string {
  const tag = tagOf(value);
  if (tag !== 'Object') return tag;
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'object of a class';
}

const bytes = (view: ArrayBufferView): string =>
  `${withArticle(view.constructor.name)} (say it as text, base64 for instance)`;

function advised(kind: string): string {
  const said = advice[kind] ?? (kind.endsWith('Iterator') ? items : 'nothing of it is in fields of its own');
  return `${withArticle(kind)} (${said})`;
}

const withArticle = (kind: string): string => `${/^[aeio]/i.test(kind) ? 'an' : 'a'} ${kind}`;
