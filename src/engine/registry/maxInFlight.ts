const defaultMaxInFlight = 100;
const maxInFlightLimit = 100_000;

/** Of what `readMaxInFlight` refuses, behind the name of the field. */
export const maxInFlightRule = `must be an integer from 1 to ${maxInFlightLimit}`;

/** How many passes a runner takes at once, by its registration or its `hello`: 100 unless it says so; undefined where it is no such number. */
export function readMaxInFlight(value: unknown): number | undefined {
  const count = value ?? defaultMaxInFlight;
  const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= maxInFlightLimit;
  return isCount ? count : undefined;
}
