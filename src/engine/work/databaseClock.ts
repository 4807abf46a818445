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

/** An answer counts in the window of its arrival and in the next one, because clocks drift. */
const windowMs = 10_000;
/** An answer has hardly taken longer. If an instant seems to be older, a clock has been set. */
const longestAnswerMs = 200;

/**
 * Where the clock of the database stands. An answer is later than the instant that it tells, by the
 * time that it took. So the quickest one of the last while is the closest.
 */
export class DatabaseClock {
  readonly #clock: Clock;
  #window = Number.NEGATIVE_INFINITY;
  /** The least `performance.now()` at the epoch of the database, of this window and the last. */
  #least = Number.POSITIVE_INFINITY;
  #leastBefore = Number.POSITIVE_INFINITY;

  constructor({ clock }: Pick<EngineContext, 'clock'>) {
    this.#clock = clock;
  }

  /** Takes account of an answer: its instant of the database, and its arrival. */
  heard(databaseMs: number, answeredMs: number): void {
    const window = Math.floor(answeredMs / windowMs);
    if (window !== this.#window) {
      this.#leastBefore = window === this.#window + 1 ? this.#least : Number.POSITIVE_INFINITY;
      this.#least = Number.POSITIVE_INFINITY;
      this.#window = window;
    }
    this.#least = Math.min(this.#least, answeredMs - databaseMs);
  }

  /**
   * When an instant of the database is, by `performance.now()`. It is not before that instant,
   * unless the database's clock was set back. The last answer bounds the error, as its own instant
   * lies between its sending and its arrival.
   */
  monotonic(instantMs: number, { databaseMs, sentMs, answeredMs }: Told): number {
    const inMs = instantMs - databaseMs;
    return Math.min(answeredMs + inMs, Math.max(sentMs + inMs, this.#estimate(instantMs)));
  }

  /** How long ago the database told an instant, in ms, or less. In a test, time stands still. */
  elapsedMs(instant: Date): number {
    if (this.#clock.sql()) return 0;
    const elapsedMs = performance.now() - this.#estimate(instant.getTime());
    return Math.min(longestAnswerMs, Math.max(0, elapsedMs));
  }

  /** Infinite before the first answer. */
  #estimate(instantMs: number): number {
    return instantMs + Math.min(this.#least, this.#leastBefore);
  }
}

export const databaseClock: (ctx: EngineContext) => DatabaseClock = perEngine((ctx) => new DatabaseClock(ctx));
