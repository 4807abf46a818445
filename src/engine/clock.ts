/**
 * The one source of time. Deadlines are compared with the database's clock: `sql()` is null in
 * production, which statements read as `coalesce($now, now())`; only tests pass an instant.
 */
export interface Clock {
  now(): Date;
  sql(): Date | null;
}

export const systemClock: Clock = Object.freeze({ now: () => new Date(), sql: () => null });

/** A clock that stands still until it is moved. For tests. */
export class ManualClock implements Clock {
  #at: Date;

  constructor(at: Date = new Date()) {
    this.#at = at;
  }

  now(): Date {
    return new Date(this.#at);
  }

  sql(): Date {
    return this.now();
  }

  /** Moves the clock forward by `ms`; backward when negative. */
  advance(ms: number): void {
    this.#at = new Date(this.#at.getTime() + ms);
  }
}
