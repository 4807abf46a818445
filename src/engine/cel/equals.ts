import { UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import { spend } from './budget.ts';

/**
 * CEL's equality over all types. Values of different types are unequal, not an error. Numbers
 * compare by value across types, lists and maps by their members. Charges as it proceeds.
 */
export function equals(a: unknown, b: unknown): boolean {
  spend(1);
  if (typeof a === 'string' && typeof b === 'string') return equalStrings(a, b);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return equalScalars(a, b);
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && equalLists(a, b);
  if (isMap(a) || isMap(b)) return isMap(a) && isMap(b) && equalMaps(a, b);
  return equalOthers(a, b);
}

/** CEL's `value in container`: an element of a list, or a key of a map. */
export function isIn(value: unknown, container: unknown): boolean {
  if (Array.isArray(container)) return container.some((element) => equals(value, element));
  if (typeof container === 'object' && container !== null && isMap(container)) {
    return typeof value === 'string' && read(container, value) !== undefined;
  }
  throw new TypeError('not a list or map');
}

function equalStrings(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  spend(a.length / 64);
  return a === b;
}

function equalScalars(a: unknown, b: unknown): boolean {
  const left = numberOf(a);
  const right = numberOf(b);
  // An int and a double compare exactly: JavaScript's loose equality does so for a bigint and a
  // number.
  // biome-ignore lint/suspicious/noDoubleEquals: see above.
  if (left !== undefined && right !== undefined) return left == right;
  return a === b;
}

function numberOf(value: unknown): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return value instanceof UnsignedInt ? BigInt(value.valueOf()) : undefined;
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((element, index) => equals(element, b[index]));
}

function equalMaps(a: object, b: object): boolean {
  const keys = keysOf(a);
  if (keys.length !== keysOf(b).length) return false;
  return keys.every((key) => {
    const other = read(b, key);
    return other !== undefined && equals(read(a, key), other);
  });
}

/** Timestamps, durations, bytes, types, unsigned integers. */
function equalOthers(a: object, b: object): boolean {
  if (numberOf(a) !== undefined || numberOf(b) !== undefined) return equalScalars(a, b);
  if (a.constructor !== b.constructor) return false;
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    spend(a.length / 64);
    return Buffer.compare(a, b) === 0;
  }
  return a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : String(a) === String(b);
}

/** A map of the payload is a Map, and a map literal of the guard a plain object. */
function isMap(value: object): boolean {
  return value instanceof Map || value.constructor === Object;
}

function keysOf(map: object): string[] {
  return map instanceof Map ? [...map.keys()] : Object.keys(map);
}

function read(map: object, key: string): unknown {
  if (map instanceof Map) return map.get(key);
  return Object.hasOwn(map, key) ? Reflect.get(map, key) : undefined;
}
