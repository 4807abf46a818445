const transportCapMs = 30_000;

/** How many invokes in a row may come to nothing before the run fails. */
export const transportBudget = 10;

/** The wait before such an invoke is sent again: doubles from `firstMs` up to 30 s. */
export const transportDelayMs = (firstMs: number, failures: number): number =>
  Math.min(firstMs * 2 ** Math.min(failures - 1, 30), transportCapMs);
