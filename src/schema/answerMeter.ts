import { type HoldfastError, invalid } from '../engine/errors.ts';

export interface AnswerLimits {
  /** Objects, and elements of lists, that the answer may hold. */
  maxObjects: number;
  /** Bytes of payload text that it may bring into memory, and write out, a payload counted each time. */
  maxBytes: number;
}

/** Fields of objects and lists that are resolved before everything else has its turn: a few milliseconds' work. */
const fieldsPerTurn = 200;

/**
 * Measures one operation while it runs: how small its document is says nothing of its answer.
 *
 * Invariants:
 *   1. What would break a limit is refused before it is made; after that the operation does nothing more.
 *   2. A long operation lets everything else have its turn again and again.
 */
export class AnswerMeter {
  readonly #limits: AnswerLimits;
  #objects = 0;
  #written = 0;
  #loaded = 0;
  #refusal: HoldfastError | undefined;
  #leftInTurn = fieldsPerTurn;
  readonly #waiting: (() => void)[] = [];

  constructor(limits: AnswerLimits) {
    this.#limits = limits;
  }

  /** Why the operation was refused; undefined unless it was. */
  get refusal(): HoldfastError | undefined {
    return this.#refusal;
  }

  /** Throws once the operation was refused. */
  check(): void {
    if (this.#refusal) throw this.#refusal;
  }

  /** Counts objects that are about to be resolved. Throws `invalid` when they are too many. */
  count(objects: number): void {
    this.#objects += objects;
    const { maxObjects } = this.#limits;
    if (this.#objects > maxObjects)
      this.#refuse(`the answer holds more than ${maxObjects} objects: ask for fewer at once`);
  }

  /** Counts text that is about to be written out. Throws `invalid` when it is too much. */
  write(length: number): void {
    this.#written += length;
    if (this.#written > this.#limits.maxBytes) this.#refuseBytes();
  }

  /** Counts bytes that are about to be brought into memory. Throws `invalid` when they are too many. */
  load(bytes: number): void {
    this.#loaded += bytes;
    if (this.#loaded > this.#limits.maxBytes) this.#refuseBytes();
  }

  /** To be asked for each field of objects: undefined where it may go on at once, or else when its turn comes. */
  turn(): Promise<void> | undefined {
    if (this.#leftInTurn > 0) {
      this.#leftInTurn -= 1;
      return undefined;
    }
    if (this.#waiting.length === 0) setImmediate(() => this.#nextTurn());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** What a field does follows only when all that may go on were told: so they are counted, not timed. */
  #nextTurn(): void {
    const next = this.#waiting.splice(0, fieldsPerTurn);
    for (const resolve of next) resolve();
    this.#leftInTurn = fieldsPerTurn - next.length;
    if (this.#waiting.length > 0) setImmediate(() => this.#nextTurn());
  }

  #refuseBytes(): never {
    return this.#refuse(`the answer holds more than ${this.#limits.maxBytes} bytes of payloads: ask for fewer at once`);
  }

  #refuse(reason: string): never {
    this.#refusal ??= invalid(reason);
    throw this.#refusal;
  }
}
