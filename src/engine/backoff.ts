/** The pause after the n-th failure in a row (from 1), in ms: it doubles from 50 ms to two seconds. */
export const backoffMs = (failures: number): number => Math.min(50 * 2 ** (failures - 1), 2_000);
