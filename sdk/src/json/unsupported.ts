/**
 * Owns: which values JSON would silently lose or change, apart from their members.
 * Does not own: the path to them inside a larger value (`encode.ts`).
 */

/** Builtins whose content JSON does not see, whatever fields were added to them. */
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
 * The loss of a value with a `toJSON`: bytes would become an object of numbers, an invalid date
 * `null`.
 */
export function unsupportedToJson(value: unknown): string | undefined {
  if (ArrayBuffer.isView(value)) return bytes(value);
  return tagOf(value) === 'Date' && Number.isNaN(Number(value)) ? 'an invalid Date' : undefined;
}

/**
 * The reason why JSON cannot carry an object (not an array), with advice if possible; undefined if
 * its fields suffice.
 */
export function unsupportedObject(value: object): string | undefined {
  return (isPlain(value) ? undefined : unsupportedInstance(value)) ?? unsupportedKey(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function unsupportedInstance(value: object): string | undefined {
  if (ArrayBuffer.isView(value)) return bytes(value);
  // By its tag, because a class of any author may have the same name.
  return lossy.has(tagOf(value)) || hidesAll(value) ? advised(kindOf(value)) : undefined;
}

function unsupportedKey(value: object): string | undefined {
  const symbol = Object.getOwnPropertySymbols(value).find((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key),
  );
  return symbol === undefined ? undefined : `an object with the key ${String(symbol)}`;
}

/** The reason why JSON cannot carry any other value; undefined if it can. */
export function unsupportedPrimitive(value: unknown): string | undefined {
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
 * Whether an instance has no fields of its own while its class has accessors, so JSON does not see
 * its content. Examples are responses, headers, iterators, and classes with `#private` fields.
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

/** The language's tag of a value, from any realm: `Object` for instances of most classes. */
const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice('[object '.length, -1);

function kindOf(value: object): string {
  const tag = tagOf(value);
  if (tag !== 'Object') return tag;
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'object of a class';
}

const bytes = (view: ArrayBufferView): string =>
  `${withArticle(view.constructor.name)} (encode it as text, such as base64)`;

function advised(kind: string): string {
  const hint = advice[kind] ?? (kind.endsWith('Iterator') ? items : 'it has no fields of its own');
  return `${withArticle(kind)} (${hint})`;
}

const withArticle = (kind: string): string => `${/^[aeio]/i.test(kind) ? 'an' : 'a'} ${kind}`;
