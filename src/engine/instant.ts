/** The end of the year 9999, in ms since the epoch: the last instant that can be written. */
export const lastInstantMs = 253_402_300_799_000;

// RFC 3339: a full date, a time, and an offset.
const rfc3339 = /^(\d{4}-\d{2}-\d{2})[T ]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Parses an RFC 3339 timestamp. Undefined if the instant does not exist, like 30 February, or if
 * its UTC year is outside 1 to 9999.
 */
export function parseInstant(text: string): Date | undefined {
  const upper = text.toUpperCase();
  const day = rfc3339.exec(upper)?.[1];
  if (day === undefined) return undefined;
  const at = new Date(upper.replace(' ', 'T'));
  // JavaScript reads 30 February as a day in March.
  const midnight = Date.parse(day);
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
  return exists && hasFourDigitYear(at) ? at : undefined;
}

function hasFourDigitYear(at: Date): boolean {
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9999;
}
