import { busy, type HoldfastError, invalid } from '../errors.ts';
import { type Caller, type KeyPermits, keyOf } from './keyPermits.ts';

export interface KeyTurnsOptions {
  /** Requests of one key under way; at least 1. */
  atOnce: number;
  /** Requests of one key that wait for their turn. */
  maxWaiting: number;
  /** The longest wait for a turn, in ms. */
  waitMs: number;
  /** A request that waits for an event holds a permit instead of its turn. */
  permits: KeyPermits;
}

/** The requests of one key. */
interface Queue {
  underWay: number;
  /** Oldest first. Empty while a place is free. */
  waiting: Set<() => void>;
}

/**
 * Limits the requests of each key under way. Further ones wait for their turn, first come, first
 * served. A request that waits for an event, such as a long poll, gives its turn away meanwhile.
 */
export class KeyTurns {
  readonly #options: KeyTurnsOptions;
  /** Only keys with a request under way. */
  readonly #queues = new Map<string, Queue>();

  constructor(options: KeyTurnsOptions) {
    this.#options = options;
  }

  /**
   * The turn of a request, which may still have to wait. Its holder must end it. Throws `busy` if
   * too many requests of the key wait.
   */
  open(caller: Caller): KeyTurn {
    const key = keyOf(caller);
    const { maxWaiting, permits, waitMs } = this.#options;
    if ((this.#queues.get(key)?.waiting.size ?? 0) >= maxWaiting) throw tooMany();
    const turn = new KeyTurn({
      takePermit: () => permits.take(caller),
      refusal: permits.refusal,
      enter: (begin) => this.#enter(key, begin),
      leave: () => this.#leave(key),
    });
    turn.begin(waitMs);
    return turn;
  }

  /** Calls `begin` when a place is free. Returns a function that withdraws from the queue. */
  #enter(key: string, begin: () => void): () => void {
    const queue = this.#queues.get(key) ?? { underWay: 0, waiting: new Set() };
    this.#queues.set(key, queue);
    if (queue.underWay < this.#options.atOnce) {
      queue.underWay += 1;
      begin();
    } else queue.waiting.add(begin);
    return () => queue.waiting.delete(begin);
  }

  /** Passes the place on to the next request, if one waits. */
  #leave(key: string): void {
    const queue = this.#queues.get(key);
    if (!queue) return;
    const [next] = queue.waiting;
    if (next) {
      queue.waiting.delete(next);
      next();
      return;
    }
    queue.underWay -= 1;
    if (queue.underWay === 0) this.#queues.delete(key);
  }
}

interface TurnParts {
  takePermit(): (() => void) | undefined;
  refusal: string;
  enter(begin: () => void): () => void;
  leave(): void;
}

/** The place of one request among those of its key. */
export class KeyTurn {
  readonly #parts: TurnParts;
  #isHere = false;
  #hasEnded = false;
  #begun: Promise<void> | undefined;
  /** Absent: nobody waits for the place. */
  #refuse: ((error: HoldfastError) => void) | undefined;
  #withdraw: () => void = () => undefined;
  #returnPermit: (() => void) | undefined;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** Undefined if the request may begin; otherwise resolves when it may. Rejects with `busy`. */
  get begun(): Promise<void> | undefined {
    return this.#begun;
  }

  /** Asks for a place, for at most `waitMs`. Without it, for as long as the turn lasts. */
  begin(waitMs?: number): void {
    let resolve = (): void => undefined;
    this.#withdraw = this.#parts.enter(() => {
      this.#isHere = true;
      this.#begun = undefined;
      resolve();
    });
    if (this.#isHere) return;
    this.#begun = new Promise<void>((done, refuse) => {
      const timer = waitMs === undefined ? undefined : setTimeout(() => this.#giveUp(), waitMs);
      resolve = () => {
        clearTimeout(timer);
        done();
      };
      this.#refuse = (error) => {
        clearTimeout(timer);
        refuse(error);
      };
    });
    this.#begun.catch(() => undefined);
  }

  /**
   * Waits for an event. Meanwhile the request holds a permit, like a stream, and not its turn.
   * Throws `invalid` if the key has no permit left.
   */
  async whileWaiting<Result>(wait: () => Promise<Result>): Promise<Result> {
    if (!this.#isHere) return wait();
    const returnPermit = this.#parts.takePermit();
    if (!returnPermit) throw invalid(this.#parts.refusal);
    this.#returnPermit = returnPermit;
    this.#leave();
    try {
      return await wait();
    } finally {
      await this.#comeBack();
    }
  }

  /** Ends the request: it has been answered, or its caller has gone. Idempotent. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#giveUp();
    this.#leave();
    this.#returnPermit?.();
    this.#returnPermit = undefined;
  }

  async #comeBack(): Promise<void> {
    if (this.#hasEnded) return;
    this.begin();
    await this.#begun;
    this.#returnPermit?.();
    this.#returnPermit = undefined;
  }

  #leave(): void {
    if (!this.#isHere) return;
    this.#isHere = false;
    this.#parts.leave();
  }

  #giveUp(): void {
    this.#withdraw();
    this.#refuse?.(tooMany());
  }
}

const tooMany = (): HoldfastError => busy('too many requests with this key are under way: retry');
