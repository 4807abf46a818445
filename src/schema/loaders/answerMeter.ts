import { busy, type HoldfastError, invalid } from '../../engine/errors.ts';
import type { PayloadRoom } from '../../engine/payloadRoom.ts';

export interface AnswerMeterOptions {
  /** Room for what the answer holds. */
  room: PayloadRoom;
  /**
   * Whether the meter is released once the answer has left. Otherwise room is given back as soon as
   * it was there.
   */
  holdsRoom: boolean;
  /** Objects, and elements of lists, that the answer may hold. */
  maxObjects: number;
  /**
   * Bytes of payload text that it may bring into memory, and write out, a payload counted each
   * time.
   */
  maxBytes: number;
}

/**
 * Fields of objects and lists that are resolved before everything else has its turn: a few
 * milliseconds' work.
 */
const fieldsPerTurn = 200;

/**
 * Measures one operation while it runs: how small its document is says nothing of its answer.
 *
 * Invariants: 1. What would break a limit is refused before it is made; after that the operation
 * does nothing more. 2. What it holds of large payloads has its room among all answers, until it is
 * released; then it takes no more. 3. A long operation lets everything else have its turn again and
 * again.
 */
export class AnswerMeter {
  readonly #options: AnswerMeterOptions;
  #objects = 0;
  #written = 0;
  #loaded = 0;
  /** Why the operation is refused. */
  #reason: string | undefined;
  /** Mutations that were carried out, by their names in the answer; and how many are under way. */
  readonly #carriedOut: string[] = [];
  #writing = 0;
  #abandon: (() => void) | undefined;
  #leftInTurn = fieldsPerTurn;
  readonly #waiting: (() => void)[] = [];
  /** Ends a wait for room. */
  #wait: AbortController | undefined;
  #isReleased = false;
  #held: (() => void)[] = [];
  /**
   * Whether it may be refused for want of room. After a write it may not: the caller would take
   * that for undone.
   */
  mayWait = true;

  constructor(options: AnswerMeterOptions) {
    this.#options = options;
  }

  get isRefused(): boolean {
    return this.#reason !== undefined;
  }

  /** Why the operation was refused, and what it changed all the same; undefined unless it was. */
  get refusal(): HoldfastError | undefined {
    if (this.#reason === undefined) return undefined;
    const names = this.#carriedOut.join(', ');
    return invalid(names ? `${this.#reason}; carried out all the same: ${names}, and nothing after` : this.#reason);
  }

  /**
   * Carries out a mutation, which has that name in the answer. A refusal comes after it, so that it
   * can tell whether it was carried out: the caller must not take what changed for undone.
   */
  async carryOut(name: string, mutate: () => unknown): Promise<unknown> {
    this.#writing += 1;
    try {
      const answer = await mutate();
      this.#carriedOut.push(name);
      return answer;
    } finally {
      this.#writing -= 1;
      if (this.isRefused) this.#abandonWhenWritten();
    }
  }

  /**
   * Resolves when the operation is refused. From then on nobody waits for its fields: `stop` ends
   * them without a word.
   */
  abandoned(): Promise<void> {
    return new Promise((resolve) => {
      this.#abandon = resolve;
    });
  }

  /**
   * What a field of a refused operation resolves to: nothing ever, where nobody waits for it.
   * Thousands of errors would take longer than what they refuse. Throws the refusal otherwise.
   */
  stop(): Promise<never> {
    const { refusal } = this;
    if (refusal && !this.#abandon) throw refusal;
    return new Promise(() => undefined);
  }

  /** Counts objects that are about to be resolved; refuses the operation when they are too many. */
  count(objects: number): void {
    this.#objects += objects;
    const { maxObjects } = this.#options;
    if (this.#objects > maxObjects)
      this.#refuse(`the answer holds more than ${maxObjects} objects: ask for fewer at once`);
  }

  /** Whether so many more objects would still be within the limit. */
  hasRoomFor(objects: number): boolean {
    return this.#objects + objects <= this.#options.maxObjects;
  }

  /** Counts text that is about to be written out; refuses the operation when it is too much. */
  write(length: number): void {
    this.#written += length;
    if (this.#written > this.#options.maxBytes) this.#refuseBytes();
  }

  /**
   * Counts bytes that are about to be brought into memory. Throws `invalid` when they are too many.
   */
  load(bytes: number): void {
    this.#loaded += bytes;
    if (this.#loaded <= this.#options.maxBytes) return;
    this.#refuseBytes();
    throw this.refusal;
  }

  /**
   * Waits for room for large payloads that are about to be brought into memory. Throws `busy` where
   * there is none, and where nobody waits for the answer any more, so that they are not read for
   * nothing.
   */
  async makeRoom(bytes: number): Promise<void> {
    const { room, holdsRoom } = this.#options;
    this.#checkWanted();
    this.#wait ??= new AbortController();
    const giveBack = this.mayWait ? await room.take(bytes, this.#wait.signal, this) : room.takeNow(bytes, this);
    if (holdsRoom && this.#isWanted) this.#held.push(giveBack);
    else giveBack();
    this.#checkWanted();
  }

  /** The answer has left, or nobody waits for it any more. */
  release(): void {
    this.#isReleased = true;
    this.#wait?.abort();
    for (const giveBack of this.#held.splice(0)) giveBack();
  }

  /** Whether somebody still waits for what the operation reads. */
  get #isWanted(): boolean {
    return !this.#isReleased && !this.isRefused;
  }

  #checkWanted(): void {
    if (this.isRefused) throw this.refusal;
    if (this.#isReleased) throw busy();
  }

  /**
   * To be asked for each field of objects: undefined where it may go on at once, or else when its
   * turn comes.
   */
  turn(): Promise<void> | undefined {
    if (this.#leftInTurn > 0) {
      this.#leftInTurn -= 1;
      return undefined;
    }
    if (this.#waiting.length === 0) setImmediate(() => this.#nextTurn());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * What a field does follows only when all that may go on were told: so they are counted, not
   * timed.
   */
  #nextTurn(): void {
    const next = this.#waiting.splice(0, fieldsPerTurn);
    for (const resolve of next) resolve();
    this.#leftInTurn = fieldsPerTurn - next.length;
    if (this.#waiting.length > 0) setImmediate(() => this.#nextTurn());
  }

  #refuseBytes(): void {
    this.#refuse(`the answer holds more than ${this.#options.maxBytes} bytes of payloads: ask for fewer at once`);
  }

  #refuse(reason: string): void {
    this.#reason ??= reason;
    this.#wait?.abort();
    this.#abandonWhenWritten();
  }

  /** Not before what is being written was. */
  #abandonWhenWritten(): void {
    if (this.#writing === 0) this.#abandon?.();
  }
}
