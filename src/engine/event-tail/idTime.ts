/**
 * How long after its id was made, by processes whose clocks differ, an event may still come to the
 * log, in ms. Looks between two wide ones, and tails that are taken up again, reckon with the
 * `usual`; none is later than `most`.
 */
export const lateMs = { usual: 10_000, most: 60_000 };

/**
 * No UUIDv7 that is made at or after an instant sorts below this: ranges of time become ranges of
 * ids.
 */
export function lowestIdAt(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** When a UUIDv7 was made, in ms since 1970, by its own account. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
