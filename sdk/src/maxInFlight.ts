const most = 100_000;

/** Checks how many passes a runner takes at once; throws a `TypeError` for an invalid number. */
export function checkMaxInFlight(count: number): number {
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new TypeError(`maxInFlight must be a whole number from 1 to ${most}, not ${count}`);
}
