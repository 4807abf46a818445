import type { Clock } from '../clock.ts';
import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';

/** An answer of the database that tells an instant of its clock. */
interface Told {
  /** The instant, in ms since the epoch. */
  databaseMs: number;
  /** Before and after it by `performance.now()`: when the statement was sent and answered. */
  sentMs: number;
  answeredMs: number;
}

/** Older answers do not count, because clocks drift. */
const windowMs = 10_000;

/**
 * Where the clock of the database stands. An answer is later than the instant that it tells, by the
 * time that it took. So the quickest one of the last while is the closest.
 */
export class DatabaseClock {
  readonly #clock: Clock;
  #windowStartMs = Number.NEGATIVE_INFINITY;
  /** The least `performance.now()` at the epoch of the database, of this window and the last. */
  #least = Number.POSITIVE_INFINITY;
  #leastBefore = Number.POSITIVE_INFINITY;

  constructor({ clock }: Pick<EngineContext, 'clock'>) {
    this.#clock = clock;
  }

  /** Takes account of an answer: its instant of the database, and its arrival. */
  heard(databaseMs: number, answeredMs: number): void {
    if (answeredMs - this.#windowStartMs > windowMs) {
      const isNext = answeredMs - this.#windowStartMs <= 2 * windowMs;
      this.#leastBefore = isNext ? this.#least : Number.POSITIVE_INFINITY;
      this.#least = Number.POSITIVE_INFINITY;
      this.#windowStartMs = answeredMs;
    }
    this.#least = Math.min(this.#least, answeredMs - databaseMs);
  }

  /**
   * When an instant of the database is, by `performance.now()`: not earlier than there. The last
   * answer bounds the error, as its instant lies between its sending and its arrival.
   */
  monotonic(instantMs: number, { databaseMs, sentMs, answeredMs }: Told): number {
    const inMs = instantMs - databaseMs;
    return Math.min(answeredMs + inMs, Math.max(sentMs + inMs, this.#estimate(instantMs)));
  }

  /** How long an instant of the database is past, in ms, or less. A clock of a test stands still. */
  elapsedMs(instant: Date): number {
    if (this.#clock.sql()) return 0;
    const elapsedMs = performance.now() - this.#estimate(instant.getTime());
    return Math.max(0, elapsedMs);
  }

  /** Infinite before the first answer. */
  #estimate(instantMs: number): number {
    return instantMs + Math.min(this.#least, this.#leastBefore);
  }
}

export const databaseClock: (ctx: EngineContext) => DatabaseClock = perEngine((ctx) => new DatabaseClock(ctx));
