import type { Clock } from '../../../src/engine/clock.ts';

/**
 * A clock that stands still, to the millisecond, until it is moved. Each statement is a microsecond
 * later than the one before: the service orders the ends of steps by them. Stored times of a
 * millisecond's precision stay those of the instant.
 */
export class TickingClock implements Clock {
  #atMs: number;
  #micros = 0;

  constructor(atMs: number) {
    this.#atMs = atMs;
  }

  now(): Date {
    return new Date(this.#atMs);
  }

  sql(): Date {
    // From half a millisecond on, stored times would be rounded up.
    this.#micros = Math.min(this.#micros + 1, 499);
    return new Microsecond(this.#atMs, this.#micros) as unknown as Date;
  }

  moveTo(atMs: number): void {
    if (atMs <= this.#atMs) return;
    this.#atMs = atMs;
    this.#micros = 0;
  }
}

/** A parameter that the driver writes by `toPostgres`, as it would write no `Date`. */
class Microsecond {
  readonly #text: string;

  constructor(atMs: number, micros: number) {
    this.#text = new Date(atMs).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
  }

  toPostgres(): string {
    return this.#text;
  }

  toJSON(): string {
    return this.#text;
  }
}
