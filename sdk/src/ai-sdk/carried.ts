import { types } from 'node:util';
import { asDeclared } from '../json/asDeclared.ts';

/**
 * Owns: the JSON form of values that JSON would lose: dates, bytes, URLs, and numbers that are not
 * finite. Such a value becomes an object with its kind under `tag`. A plain object that has a field
 * of that name is wrapped, so that it comes back as it was.
 *
 * Other values pass as they are. The recording of the step refuses those that JSON cannot carry.
 */
const tag = '$holdfast';

/** The value with JSON forms of dates, bytes, URLs and odd numbers. Functions are dropped. */
export function toCarried(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return tagged('number', String(value));
  if (typeof value !== 'object' || value === null) return value;
  if (types.isDate(value)) return tagged('date', Number.isNaN(value.getTime()) ? null : value.toISOString());
  if (value instanceof URL) return tagged('url', value.href);
  if (ArrayBuffer.isView(value)) return tagged('bytes', base64(value.buffer, value.byteOffset, value.byteLength));
  if (types.isAnyArrayBuffer(value)) return tagged('bytes', base64(value, 0, value.byteLength));
  if (Array.isArray(value)) return value.map((item: unknown) => toCarried(item) ?? null);
  return isPlain(value) ? plainToCarried(value) : value;
}

/** The value that `toCarried` was given. */
export function fromCarried<T>(carried: unknown): T {
  return asDeclared(read(carried));
}

const tagged = (kind: string, value: unknown): object => ({ [tag]: kind, value });

const base64 = (buffer: ArrayBufferLike, offset: number, length: number): string =>
  Buffer.from(buffer, offset, length).toString('base64');

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function plainToCarried(value: object): object {
  const members = membersOf(value, toCarried, (member) => typeof member !== 'function');
  return Object.hasOwn(value, tag) ? tagged('object', members) : members;
}

function membersOf(
  value: object,
  change: (member: unknown) => unknown,
  isKept: (member: unknown) => boolean = () => true,
): object {
  const kept = Object.entries(value).filter(([, member]) => isKept(member));
  // `fromEntries` defines its members, so a key `__proto__` stays a key.
  return Object.fromEntries(kept.map(([name, member]) => [name, change(member)]));
}

function read(carried: unknown): unknown {
  if (typeof carried !== 'object' || carried === null) return carried;
  if (Array.isArray(carried)) return carried.map(read);
  if (!(tag in carried && 'value' in carried)) return membersOf(carried, read);
  const { [tag]: kind, value } = carried;
  switch (kind) {
    case 'number':
      return Number(value);
    case 'date':
      return new Date(value === null ? Number.NaN : String(value));
    case 'url':
      return new URL(String(value));
    case 'bytes':
      return new Uint8Array(Buffer.from(String(value), 'base64'));
    case 'object':
      return membersOf(Object(value), read);
    default:
      return membersOf(carried, read);
  }
}
