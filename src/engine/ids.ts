import { v7, validate } from 'uuid';

/** A new UUIDv7. Ids sort by creation time. */
export const newId = (): string => v7();

/** The stored form of a UUID: lower case. Any other text stays as it is. */
export const canonicalId = (text: string): string => (isId(text) ? text.toLowerCase() : text);

/** Whether a value from outside is a UUID. Any other id is answered as unknown. */
export const isId = (value: unknown): value is string => typeof value === 'string' && validate(value);

/**
 * No UUIDv7 that is made at or after an instant sorts below this: ranges of time become ranges of
 * ids.
 */
export function lowestIdAt(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
