import { busy, type HoldfastError, invalid } from '../../engine/errors.ts';
import type { PayloadRoom, Reservation } from '../../engine/payloadRoom.ts';

export interface AnswerMeterOptions {
  /** Memory for large payloads, shared by all answers of this process. */
  room: PayloadRoom;
  /** Bytes to reserve with the first large payload. Further payloads never wait, even beyond. */
  reservedBytes: number;
  /** Objects and list elements that the answer may hold. */
  maxObjects: number;
  /** Bytes of payload text that the answer may load, and that it may write; repeats count. */
  maxBytes: number;
  /** Fields with objects that are resolved in one turn. Default: 200. */
  fieldsPerTurn?: number;
}

/** The number of fields that an operation resolves before it yields: a few ms of work. */
const fieldsPerTurn = 200;
/** The same for a compiled query, whose fields take a fraction of that. */
export const compiledFieldsPerTurn = 1_000;

/**
 * Measures one operation while it runs: a small document may have a large answer.
 *
 * Invariants:
 *   M1. An answer that would break a limit is refused before it is made. The operation then stops.
 *   M2. Large payloads are loaded only into reserved memory. The operation waits for it once, at
 *       its first large payload. At its end it keeps only what it loaded, until the answer is
 *       released.
 *   M3. A long operation yields to other work regularly.
 */
export class AnswerMeter {
  readonly #options: AnswerMeterOptions;
  #objects = 0;
  #written = 0;
  #loaded = 0;
  /** Why the operation is refused. */
  #reason: string | undefined;
  /** Names in the answer of the mutations that were carried out. */
  readonly #carriedOut: string[] = [];
  /** Mutations in progress. */
  #writing = 0;
  #abandon: (() => void) | undefined;
  readonly #fieldsPerTurn: number;
  #leftInTurn: number;
  readonly #waiting: (() => void)[] = [];
  #isOver = false;
  /** Bytes of large payloads. */
  #large = 0;
  #entering: Promise<void> | undefined;
  #reservation: Reservation | undefined;
  /** Fields that wait for something else than payloads. */
  #idle = 0;
  /** Ends the wait for memory. */
  #wait: AbortController | undefined;
  /**
   * Whether the operation may be refused for lack of memory. Not after a write: the caller would
   * think that the write had failed.
   */
  mayWait = true;

  constructor(options: AnswerMeterOptions) {
    this.#options = options;
    this.#fieldsPerTurn = options.fieldsPerTurn ?? fieldsPerTurn;
    this.#leftInTurn = this.#fieldsPerTurn;
  }

  get isRefused(): boolean {
    return this.#reason !== undefined;
  }

  /**
   * Why the operation was refused, and which mutations it carried out before; otherwise
   * undefined.
   */
  get refusal(): HoldfastError | undefined {
    if (this.#reason === undefined) return undefined;
    const names = this.#carriedOut.join(', ');
    return invalid(names ? `${this.#reason}; carried out all the same: ${names}, and nothing after` : this.#reason);
  }

  /**
   * Carries out a mutation, which has this name in the answer. A refusal waits for its end, because
   * the refusal names the mutations that were carried out.
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
   * Resolves when the operation is refused. From then on nobody waits for its fields, and `stop`
   * never settles.
   */
  abandoned(): Promise<void> {
    return new Promise((resolve) => {
      this.#abandon = resolve;
    });
  }

  /**
   * Stops a field of a refused operation. The field never settles if nobody waits for it: thousands
   * of errors would take longer than the operation itself. Otherwise it throws the refusal.
   */
  stop(): Promise<never> {
    const { refusal } = this;
    if (refusal && !this.#abandon) throw refusal;
    return new Promise(() => undefined);
  }

  /** Counts objects before they are resolved; refuses the operation if they are too many. */
  count(objects: number): void {
    this.#objects += objects;
    const { maxObjects } = this.#options;
    if (this.#objects > maxObjects)
      this.#refuse(`the answer holds more than ${maxObjects} objects: ask for fewer at once`);
  }

  /** Whether so many more objects are within the limit. */
  hasRoomFor(objects: number): boolean {
    return this.#objects + objects <= this.#options.maxObjects;
  }

  /** Counts text before it is written; refuses the operation if it is too much. */
  write(length: number): void {
    this.#written += length;
    if (this.#written > this.#options.maxBytes) this.#refuseBytes();
  }

  /** Counts bytes before they are loaded. Throws `invalid` if they are too many. */
  load(bytes: number): void {
    this.#loaded += bytes;
    if (this.#loaded <= this.#options.maxBytes) return;
    this.#refuseBytes();
    throw this.refusal;
  }

  /**
   * Reserves memory for large payloads that are to be loaded. Throws `busy` if there is none, or if
   * nobody waits for the answer any more.
   */
  async makeRoom(bytes: number): Promise<void> {
    this.#checkWanted();
    this.#large += bytes;
    this.#entering ??= this.#enter();
    await this.#entering;
    this.#checkWanted();
    this.#reservation?.resize(this.#reserves);
  }

  async #enter(): Promise<void> {
    const { room } = this.#options;
    this.#wait = new AbortController();
    this.#reservation = this.mayWait
      ? await room.enter(this.#reserves, this.#wait.signal)
      : room.enterNow(this.#reserves);
    if (!this.#isWanted) this.release();
  }

  /**
   * M2. Waits for something else than payloads. Meanwhile the operation reserves only what it has
   * loaded, so that other answers can use the rest.
   */
  async whileIdle<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.#idle += 1;
    this.#resize();
    try {
      return await wait();
    } finally {
      this.#idle -= 1;
      this.#resize();
    }
  }

  #resize(): void {
    if (!this.#isOver) this.#reservation?.resize(this.#reserves);
  }

  get #reserves(): number {
    return this.#idle > 0 ? this.#large : Math.max(this.#large, this.#options.reservedBytes);
  }

  /** The operation has been executed: it loads nothing more. It keeps what it has loaded. */
  finish(): void {
    if (!this.#isOver) this.#end(this.#large);
  }

  /** The answer has been sent, or its caller has gone. */
  release(): void {
    this.#end(0);
  }

  #end(bytes: number): void {
    this.#isOver = true;
    this.#wait?.abort();
    this.#reservation?.resize(bytes);
  }

  /** Whether the operation still loads payloads. */
  get #isWanted(): boolean {
    return !this.#isOver && !this.isRefused;
  }

  #checkWanted(): void {
    if (this.isRefused) throw this.refusal;
    if (this.#isOver) throw busy();
  }

  /**
   * Call it for each field with objects: undefined if the field may continue, or a promise of its
   * turn.
   */
  turn(): Promise<void> | undefined {
    if (this.#leftInTurn > 0) {
      this.#leftInTurn -= 1;
      return undefined;
    }
    if (this.#waiting.length === 0) setImmediate(() => this.#nextTurn());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Counts fields instead of time: the work of a field begins only after this function. */
  #nextTurn(): void {
    const next = this.#waiting.splice(0, this.#fieldsPerTurn);
    for (const resolve of next) resolve();
    this.#leftInTurn = this.#fieldsPerTurn - next.length;
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

  /** Waits for the mutations in progress. */
  #abandonWhenWritten(): void {
    if (this.#writing === 0) this.#abandon?.();
  }
}
