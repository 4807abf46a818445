// Limits the work in progress, and shares it between groups: the projects of callers.
//
// Owns: the turns that are held, and the queues of waiting work.
//
// Invariants:
// T1. Groups take turns one after the other, and each group first come, first served. So a group
//     with ten thousand pieces of work and a group with one advance alike.
// T2. With `perFree`, the last turns are never held by one group, however much it asks for. So a
//     group without work in progress begins at once, even if all other work is slow.
// T3. Work that was dropped, or has waited too long, never begins.
// T4. Work that lent its turn waits for it like new work, but before that of its group, and is
//     never refused. So a thousand waits that end at once take no turns from other groups.
import { busy } from './errors.ts';

export interface TurnsOptions {
  /** The maximum work in progress; at least 1. */
  atOnce: number;
  /** The maximum waiting work of one group. */
  maxWaiting: number;
  /** The maximum wait, in ms. */
  waitMs: number;
  /** The text of the `busy` error. */
  refusal: string;
  /**
   * T2: a group takes a turn only while it holds less than this many per free turn: with 1, at most
   * half of all turns. Default: a group may hold all.
   */
  perFree?: number;
}

interface Group {
  readonly name: string;
  /** Of all its turns. */
  readonly parts: TurnParts;
  held: number;
  /** Work that lent its turn and goes on: T4. */
  readonly returning: Set<Waiting>;
  /** New work. */
  readonly queue: Set<Waiting>;
}

const isWaiting = ({ returning, queue }: Group): boolean => returning.size + queue.size > 0;

interface Waiting {
  begin(): void;
}

/** Takes waiting work out of its queue; no effect after its beginning. */
export type Drop = () => void;

interface TurnParts {
  free(): void;
  takeBack(): Promise<void>;
}

/** The turn of work in progress. */
export class Turn {
  readonly #parts: TurnParts;
  #lent = 0;
  #isHeld = true;
  #isOver = false;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /**
   * Runs `wait` while the turn is free for others. The work may wait for several things at once. It
   * goes on when it has the turn back after the last one: T4.
   */
  async lend<T>(wait: () => Promise<T>): Promise<T> {
    if (this.#isOver) return wait();
    this.#lent += 1;
    this.#giveAway();
    try {
      return await wait();
    } finally {
      this.#lent -= 1;
      if (this.#lent === 0 && !this.#isOver) await this.#comeBack();
    }
  }

  /** The work has ended, although a part of it may still wait. */
  end(): void {
    this.#isOver = true;
    this.#giveAway();
  }

  #giveAway(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#parts.free();
  }

  /** Meanwhile the work may have ended, or another part of it may have lent the turn again. */
  async #comeBack(): Promise<void> {
    await this.#parts.takeBack();
    if (this.#isOver || this.#isHeld || this.#lent > 0) this.#parts.free();
    else this.#isHeld = true;
  }
}

export class Turns {
  readonly #options: TurnsOptions;
  readonly #groups = new Map<string, Group>();
  /** Groups with waiting work, in the order of their next turns. */
  readonly #round = new Set<Group>();
  #held = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** The number of turns that are held now. */
  get held(): number {
    return this.#held;
  }

  /** The amount of waiting work. */
  get waiting(): number {
    return [...this.#round].reduce((sum, { queue, returning }) => sum + queue.size + returning.size, 0);
  }

  /**
   * Runs `work` when its turn comes. Throws `busy` if the group's queue is full, the wait takes too
   * long, or the work is dropped meanwhile. If the work has to wait, `onQueued` is called at once.
   */
  async take<T>(name: string, work: (turn: Turn) => Promise<T>, onQueued?: (drop: Drop) => void): Promise<T> {
    const group = this.#groupOf(name);
    if (!isWaiting(group) && this.#mayBegin(group)) this.#begin(group);
    else await this.#wait(group, onQueued);
    const turn = new Turn(group.parts);
    try {
      return await work(turn);
    } finally {
      turn.end();
    }
  }

  #groupOf(name: string): Group {
    const known = this.#groups.get(name);
    if (known) return known;
    const parts = { free: () => this.#end(name), takeBack: () => this.#takeBack(name) };
    const group: Group = { name, parts, held: 0, returning: new Set(), queue: new Set() };
    this.#groups.set(name, group);
    return group;
  }

  // T2
  #mayBegin({ held }: Group): boolean {
    const { atOnce, perFree = Number.POSITIVE_INFINITY } = this.#options;
    const free = atOnce - this.#held;
    return free > 0 && (held === 0 || held < perFree * free);
  }

  #begin(group: Group): void {
    group.held += 1;
    this.#held += 1;
  }

  /** By name: a group is forgotten while its only work lends the turn. */
  #end(name: string): void {
    const group = this.#groupOf(name);
    group.held -= 1;
    this.#held -= 1;
    this.#forgetIdle(group);
    if (this.#round.size > 0) this.#pass();
  }

  #forgetIdle(group: Group): void {
    if (group.held === 0 && !isWaiting(group)) this.#groups.delete(group.name);
  }

  /** T4 */
  async #takeBack(name: string): Promise<void> {
    const group = this.#groupOf(name);
    if (group.returning.size === 0 && this.#mayBegin(group)) return this.#begin(group);
    await new Promise<void>((resolve) => {
      const waiting: Waiting = {
        begin: () => {
          this.#leave(group, group.returning, waiting);
          this.#begin(group);
          resolve();
        },
      };
      group.returning.add(waiting);
      this.#round.add(group);
    });
  }

  #wait(group: Group, onQueued: ((drop: Drop) => void) | undefined): Promise<void> {
    const { maxWaiting, waitMs, refusal } = this.#options;
    if (group.queue.size >= maxWaiting) throw busy(refusal);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        begin: () => {
          clearTimeout(timer);
          this.#leave(group, group.queue, waiting);
          this.#begin(group);
          resolve();
        },
      };
      const drop = (): void => {
        if (!this.#leave(group, group.queue, waiting)) return;
        clearTimeout(timer);
        this.#forgetIdle(group);
        reject(busy(refusal));
      };
      const timer = setTimeout(drop, waitMs);
      group.queue.add(waiting);
      this.#round.add(group);
      onQueued?.(drop);
    });
  }

  /** Whether the work was still waiting. */
  #leave(group: Group, queue: Set<Waiting>, waiting: Waiting): boolean {
    const wasWaiting = queue.delete(waiting);
    if (!isWaiting(group)) this.#round.delete(group);
    return wasWaiting;
  }

  /** T1: begins the first work of each group in its turn, while there are free turns. */
  #pass(): void {
    for (let group = this.#next(); group; group = this.#next()) {
      const [first] = group.returning.size > 0 ? group.returning : group.queue;
      // The group's next turn comes after those of all others.
      this.#round.delete(group);
      this.#round.add(group);
      first?.begin();
    }
  }

  #next(): Group | undefined {
    for (const group of this.#round) if (this.#mayBegin(group)) return group;
    return undefined;
  }
}
