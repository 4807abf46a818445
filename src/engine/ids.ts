import { v7, validate } from 'uuid';

/** A new UUIDv7. Ids sort by creation time. */
export const newId = (): string => v7();

/** The stored form of a UUID: lower case. Any other text stays unchanged. */
export const canonicalId = (text: string): string => (isId(text) ? text.toLowerCase() : text);

/** Whether a value from a caller is a UUID. Any other id is answered as unknown. */
export const isId = (value: unknown): value is string => typeof value === 'string' && validate(value);

/** The last instant that an id can name. */
const maxIdMs = 2 ** 48 - 1;

/**
 * A lower bound: a UUIDv7 made at or after the instant never sorts below it. So ranges of time
 * become ranges of ids. Instants that ids cannot name are moved to the nearest one.
 */
export function lowestIdAt(at: Date): string {
  const time = Math.min(Math.max(at.getTime(), 0), maxIdMs).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
