import type { Queryable } from '../../../src/engine/db/statement.ts';

/** Draws numbers from 0 to `below` - 1. */
export type Draw = (below: number) => number;

/** The same numbers for the same seed. */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The maximum number of concurrent moves. */
const maxMoves = 3;
/** The weight of starting another move, against one of the next statements of a running move. */
const startWeight = 1;
/**
 * A statement that takes longer may be waiting for a lock, so ask PostgreSQL. A question costs a
 * statement. Patience doubles after a needless one, because the machine is busy, and halves after a
 * useful one.
 */
let patienceMs = 1;
const maxPatienceMs = 16;
const realSetTimeout = setTimeout;

/**
 * Decides who is next. Every statement, commit and pause between retries waits for its turn, and
 * only one proceeds. The next turn follows when the statement has been answered, or waits for a
 * lock, and its code has reached the next statement. So the draw determines the whole order.
 */
export class Turns {
  readonly #db: Queryable;
  #waiting: { place: string; go: () => void }[] = [];
  #underWay = 0;
  #changes = 0;
  #isOn = false;
  #changed: (() => void) | undefined;
  /** How many statements were all blocked when PostgreSQL was last asked; 0 if not all were. */
  #known = 0;
  /** Whether a lock may have been released since then. Until then, the blocked stay blocked. */
  #isReleased = false;
  /** How often a statement waited for a lock of another move. */
  blocked = 0;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Resolves at this statement's turn, or at once if no one assigns turns. */
  async take(place: string): Promise<void> {
    if (!this.#isOn) return;
    await new Promise<void>((go) => {
      this.#waiting.push({ place, go });
      this.#note();
    });
  }

  /**
   * Database work that no turn interrupts. A statement inside of a transaction releases no lock,
   * unless it fails.
   */
  async during<T>(work: () => Promise<T>, { keepsLocks = false } = {}): Promise<T> {
    this.begin();
    let hasLocks = false;
    try {
      const result = await work();
      hasLocks = keepsLocks;
      return result;
    } finally {
      this.end({ keepsLocks: hasLocks });
    }
  }

  begin(): void {
    this.#underWay += 1;
  }

  end({ keepsLocks = false } = {}): void {
    this.#underWay -= 1;
    if (!keepsLocks) this.#isReleased = true;
    this.#note();
  }

  /** Plays all moves, up to three at a time, with everything that they cause. */
  async play(moves: readonly (() => Promise<void>)[], draw: Draw): Promise<void> {
    const failures: unknown[] = [];
    let next = 0;
    let active = 0;
    const start = (): void => {
      const move = moves[next];
      next += 1;
      active += 1;
      void move?.()
        .catch((error: unknown) => failures.push(error))
        .finally(() => {
          active -= 1;
          this.#note();
        });
    };
    const canStart = (): boolean => next < moves.length && active < maxMoves && failures.length === 0;
    this.#turnOn();
    try {
      while (canStart() || active > 0 || this.#waiting.length > 0 || this.#underWay > 0) {
        await this.#settled(canStart);
        const choices = this.#waiting.length + (canStart() ? startWeight : 0);
        if (choices === 0) {
          if (active > 0 || this.#underWay > 0) await this.#change();
          continue;
        }
        const [chosen] = this.#waiting.splice(draw(choices), 1);
        if (chosen) chosen.go();
        else start();
      }
    } finally {
      this.#turnOff();
    }
    if (failures.length > 0) throw failures[0];
  }

  /**
   * Waits until each released statement is answered or blocked, and its code has reached the next
   * statement.
   */
  async #settled(canStart: () => boolean): Promise<void> {
    for (;;) {
      await this.#calm();
      if (this.#underWay === 0) return;
      const isMoving = this.#waiting.length > 0 || canStart();
      if (isMoving && this.#underWay === this.#known && !this.#isReleased) return;
      const before = this.#changes;
      if (!isMoving) await this.#change();
      else await Promise.race([this.#change(), new Promise((resolve) => realSetTimeout(resolve, patienceMs))]);
      if (this.#changes !== before) continue;
      this.#isReleased = false;
      this.#known = 0;
      const areBlocked = (await this.#countBlocked()) >= this.#underWay && this.#changes === before;
      patienceMs = areBlocked ? Math.max(1, patienceMs / 2) : Math.min(maxPatienceMs, patienceMs * 2);
      if (!areBlocked) continue;
      this.#known = this.#underWay;
      this.blocked += 1;
      return;
    }
  }

  async #calm(): Promise<void> {
    let seen = this.#changes;
    for (let calm = 0; calm < 3; calm += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#changes === seen) continue;
      seen = this.#changes;
      calm = 0;
    }
  }

  async #countBlocked(): Promise<number> {
    const { rows } = await this.#db.query<{ n: number }>({
      name: 'countBlocked',
      text: `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      values: [],
    });
    return rows[0]?.n ?? 0;
  }

  #note(): void {
    this.#changes += 1;
    this.#changed?.();
    this.#changed = undefined;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const former = this.#changed;
      this.#changed = () => {
        former?.();
        resolve();
      };
    });
  }

  /**
   * Pauses between retries end at their turn, not after their time. The driver's own pauses are
   * longer.
   */
  #turnOn(): void {
    this.#isOn = true;
    const patient = ((work: () => void, ms?: number, ...rest: unknown[]) => {
      if (ms === undefined || ms < 50 || ms > 2_000) return realSetTimeout(work, ms, ...rest);
      void this.take('pause').then(work);
      return undefined;
    }) as typeof setTimeout;
    globalThis.setTimeout = patient;
  }

  #turnOff(): void {
    this.#isOn = false;
    globalThis.setTimeout = realSetTimeout;
    for (const { go } of this.#waiting.splice(0)) go();
  }
}
