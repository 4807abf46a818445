/**
 * Units of cost, of about a tenth of a microsecond: a node visited in a loop, or 64 characters
 * read. Units decide instead of the clock, so that a frozen process never turns a guard false.
 */
export const unitsPerMs = 10_000;

/**
 * Thrown when the budget is used up. A single instance, because a guard may hit it thousands of
 * times.
 */
export const tooExpensive = new Error('guard is too expensive');

export class Budget {
  #left: number;

  constructor(ms: number) {
    this.#left = ms * unitsPerMs;
  }

  /** Stays true, so that operators that absorb errors cannot revive an evaluation. */
  get exceeded(): boolean {
    return this.#left < 0;
  }

  /** Throws `tooExpensive` if the units exceed the rest of the budget. */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) {
      this.#left = Number.NEGATIVE_INFINITY;
      throw tooExpensive;
    }
  }
}

let current: Budget | undefined;

/** Evaluates under a budget. Synchronous, and never nested. */
export function withBudget<T>(budget: Budget, evaluate: () => T): T {
  current = budget;
  try {
    return evaluate();
  } finally {
    current = undefined;
  }
}

/** Charges the current evaluation. */
export function spend(units: number): void {
  if (!current) throw new Error('no evaluation is in progress');
  current.spend(units);
}
