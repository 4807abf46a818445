const most = 100_000;

/** Checks how many passes a runner takes at once; throws a `TypeError` for an invalid number. */
export function checkMaxInFlight(count: number): number {
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new TypeError(`maxInFlight must be a whole number from 1 to ${most}, not ${count}`);
}

const longestHeldMs = 86_400_000;

/** Checks what a runner may hold; throws a `TypeError` for an invalid number. */
export function checkHeld(limits: { maxHeld: number; heldMs: number }): { maxHeld: number; heldMs: number } {
  const { maxHeld, heldMs } = limits;
  if (!Number.isInteger(maxHeld) || maxHeld < 0 || maxHeld > most)
    throw new TypeError(`maxHeld must be a whole number from 0 to ${most}, not ${maxHeld}`);
  if (!Number.isInteger(heldMs) || heldMs < 1 || heldMs > longestHeldMs)
    throw new TypeError(`heldMs must be a whole number of milliseconds from 1 to ${longestHeldMs}, not ${heldMs}`);
  return limits;
}
