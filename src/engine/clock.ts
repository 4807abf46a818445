/**
 * The only source of time. Deadlines are compared with the database's clock. `sql()` is null in
 * production, and statements read it as `coalesce($now, now())`. Only tests and simulations pass an
 * instant.
 */
export interface Clock {
  now(): Date;
  sql(): Date | null;
}

export const systemClock: Clock = Object.freeze({ now: () => new Date(), sql: () => null });

/** A clock for tests and simulations. Its time changes only when they move it. */
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

  advance(ms: number): void {
    this.#at = new Date(this.#at.getTime() + ms);
  }
}
