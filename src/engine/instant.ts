/** The end of the year 9999, in ms since the epoch: what is beyond cannot be said as an instant. */
export const lastInstantMs = 253_402_300_799_000;

// RFC 3339: a full date, a time, and an offset.
const rfc3339 = /^(\d{4}-\d{2}-\d{2})[T ]([01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * The instant that an RFC 3339 timestamp names; undefined where it names none, such as 30 February,
 * or one that in UTC is outside of the years 1 to 9999.
 */
export function parseInstant(text: string): Date | undefined {
  const upper = text.toUpperCase();
  const day = rfc3339.exec(upper)?.[1];
  if (day === undefined) return undefined;
  const at = new Date(upper.replace(' ', 'T'));
  // JavaScript takes 30 February for a day in March.
  const midnight = Date.parse(day);
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
  return exists && hasFourDigitYear(at) ? at : undefined;
}

function hasFourDigitYear(at: Date): boolean {
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9999;
}
