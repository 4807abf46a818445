import { v7, validate } from 'uuid';

/** A new UUIDv7: sorts by creation time. */
export const newId = (): string => v7();

/**
 * A UUID from outside as it is stored and compared: in small letters. Anything else stays as it is.
 */
export const canonicalId = (text: string): string => (isId(text) ? text.toLowerCase() : text);

/**
 * Whether a string from outside is a UUID at all. What is none addresses nothing: it is answered as
 * unknown.
 */
export const isId = (value: unknown): value is string => typeof value === 'string' && validate(value);

/**
 * No UUIDv7 that is made at or after an instant sorts below this: ranges of time become ranges of
 * ids.
 */
export function lowestIdAt(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
