import type { CommitEffect, Database, Transaction } from '../../../src/engine/db/database.ts';
import type { Queryable } from '../../../src/engine/db/statement.ts';
import { retryingDeadlocks } from '../../../src/engine/db/transient.ts';
import type { Turns } from '../kit/turns.ts';

/** Thrown by a statement of a process that just died, and by every later one. */
export class Died extends Error {
  constructor() {
    super('the process died');
  }
}

/** Thrown by a statement whose connection broke: whether it was executed is unknown. */
export class Lost extends Error {
  constructor() {
    super('Connection terminated unexpectedly');
  }
}

interface Config {
  name?: string;
  text?: string;
  values?: unknown[];
}

/** The observer of a process. */
export interface Watch {
  died(place: string): void;
  lost(place: string): void;
  deadlocked(place: string): void;
  answered(statement: string, values: readonly unknown[], rows: readonly unknown[]): void;
}

/**
 * The database of one process. The process may die between any two statements, and before and after
 * any commit. From then on it has no effect. Or its connection breaks there.
 */
export class Mortal {
  readonly db: Database;
  readonly #watch: Watch;
  readonly #turns: Turns;
  #left = Number.POSITIVE_INFINITY;
  #leftToBreak = Number.POSITIVE_INFINITY;
  #place: string | undefined;
  #isDead = false;
  #underWay = 0;
  readonly #onQuiet: (() => void)[] = [];

  constructor(db: Database, turns: Turns, watch: Watch) {
    this.#watch = watch;
    this.#turns = turns;
    this.db = {
      ...db,
      // Every statement must wait for its turn.
      urgent: undefined,
      // As in the engine's own database, each retry takes its turn, and may be the last.
      query: retryingDeadlocks({ query: this.#mortalQuery(db.pool) }),
      transaction: async (work) => {
        const effects: CommitEffect[] = [];
        const result = await this.#transaction(db, work, effects);
        for (const effect of effects) effect();
        return result;
      },
    };
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Lets the process die at the `count`-th place from now. */
  dieIn(count: number): void {
    this.#left = count;
  }

  /**
   * Lets it die the next time it reaches this place: `<statement>:before` or `<statement>:after`.
   */
  dieAt(place: string): void {
    this.#place = place;
  }

  /** Lets the connection break once, at the `count`-th place from now. */
  breakIn(count: number): void {
    this.#leftToBreak = count;
  }

  kill(): void {
    this.#isDead = true;
  }

  /** Resolves when the process has no work in progress. Sleeps while a statement is in progress. */
  async quiet(): Promise<void> {
    for (let calm = 0; calm < 3; calm = this.#underWay === 0 ? calm + 1 : 0) {
      if (this.#underWay > 0) await new Promise<void>((resolve) => this.#onQuiet.push(resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #end(): void {
    this.#underWay -= 1;
    if (this.#underWay > 0) return;
    for (const resolve of this.#onQuiet.splice(0)) resolve();
  }

  #reach(place: string): void {
    if (this.#isDead) throw new Died();
    this.#left -= 1;
    this.#leftToBreak -= 1;
    if (this.#left <= 0 || place === this.#place) {
      this.#isDead = true;
      this.#watch.died(place);
      throw new Died();
    }
    if (this.#leftToBreak > 0) return;
    this.#leftToBreak = Number.POSITIVE_INFINITY;
    this.#watch.lost(place);
    throw new Lost();
  }

  #mortalQuery(target: Queryable, { keepsLocks = false } = {}): Database['query'] {
    // The engine uses only the overload of the driver that takes a configuration and returns a
    // promise.
    const query = async (config: Config | string, values?: unknown[]): Promise<unknown> => {
      const name = typeof config === 'string' ? config : (config.name ?? config.text ?? '');
      this.#underWay += 1;
      try {
        await this.#turns.take(name);
        this.#reach(`${name}:before`);
        const result = await this.#turns.during(
          (): Promise<{ rows?: unknown[] }> =>
            Reflect.apply(target.query, target, values ? [config, values] : [config]),
          { keepsLocks },
        );
        if (typeof config === 'object') this.#watch.answered(name, config.values ?? [], result.rows ?? []);
        this.#reach(`${name}:after`);
        return result;
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === '40P01') this.#watch.deadlocked(name);
        throw error;
      } finally {
        this.#end();
      }
    };
    return query as Database['query'];
  }

  /** Leaves the effects to the caller, because the process may die before them. */
  async #transaction<T>(db: Database, work: (tx: Transaction) => Promise<T>, effects: CommitEffect[]): Promise<T> {
    this.#underWay += 1;
    this.#turns.begin();
    let isBetween = true;
    const between = (is: boolean): void => {
      if (isBetween !== is) is ? this.#turns.begin() : this.#turns.end();
      isBetween = is;
    };
    try {
      const result = await db.transaction(async (tx) => {
        between(false);
        effects.length = 0;
        try {
          const query = this.#mortalQuery(tx, { keepsLocks: true });
          const done = await work({ query, afterCommit: (effect) => void effects.push(effect) });
          await this.#turns.take('commit');
          this.#reach('commit:before');
          return done;
        } finally {
          between(true);
        }
      });
      this.#reach('commit:after');
      return result;
    } finally {
      between(false);
      this.#end();
    }
  }
}
