import { busy } from '../engine/errors.ts';

/** Checks of one caller that may wait. */
const maxWaiting = 200;

interface Check {
  /** Whether somebody still waits for the result. */
  isWanted(): boolean;
  run(): void;
  drop(): void;
}

/**
 * Runs expensive checks, at most one in each turn of the event loop. So the checks of one caller
 * delay the requests of others by one check at most. The callers take turns.
 */
export class CheckTurns {
  /** The caller whose turn is next comes first. */
  readonly #waiting = new Map<string, Check[]>();
  #isTaken = false;

  /**
   * Runs a check in this turn of the loop, or in a later one. Throws `busy` if too many checks of
   * the caller wait, or if nobody wants the result any more.
   */
  async take<T>(caller: string, isWanted: () => boolean, check: () => T): Promise<T> {
    if (!this.#isTaken) {
      this.#end();
      return check();
    }
    const queue = this.#waiting.get(caller) ?? [];
    if (queue.length >= maxWaiting) throw busy('too many new documents wait to be checked: retry');
    this.#waiting.set(caller, queue);
    await new Promise<void>((resolve, reject) => {
      queue.push({ isWanted, run: resolve, drop: () => reject(busy('the caller has gone')) });
    });
    return check();
  }

  /** Ends the turn. Input and output of other callers come before the next one. */
  #end(): void {
    this.#isTaken = true;
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#isTaken = false;
    for (const [caller, queue] of this.#waiting) {
      this.#waiting.delete(caller);
      const check = queue.shift();
      if (queue.length > 0) this.#waiting.set(caller, queue);
      if (check?.isWanted()) {
        this.#end();
        check.run();
        return;
      }
      check?.drop();
    }
  }
}
