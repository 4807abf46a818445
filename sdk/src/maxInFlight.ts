/** What the service takes. */
const most = 100_000;

/** How many passes a runner takes at once, as it was given; throws what is wrong with it. */
export function checkMaxInFlight(count: number): number {
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new TypeError(`maxInFlight must be a whole number from 1 to ${most}, not ${count}`);
}
