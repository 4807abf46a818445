/**
 * What an evaluation may cost, in units of about a tenth of a microsecond: a node visited in a
 * loop, 64 characters looked at. Units and not the clock decide, so that a pause of the process
 * never turns a guard false.
 */
export const unitsPerMs = 10_000;

/** Thrown when the budget is spent; one instance, as a guard may run into it thousands of times. */
export const tooExpensive = new Error('guard is too expensive');

export class Budget {
  #left: number;

  constructor(ms: number) {
    this.#left = ms * unitsPerMs;
  }

  /** Stays true: operators that absorb errors cannot bring an evaluation back. */
  get exceeded(): boolean {
    return this.#left < 0;
  }

  /** Throws `tooExpensive` when the units are not there. */
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

/** Charges the evaluation that is under way. */
export function spend(units: number): void {
  if (!current) throw new Error('no evaluation is under way');
  current.spend(units);
}
