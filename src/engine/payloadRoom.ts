// How much payload text the answers of this process hold together: so that many large ones wait for each other rather
// than take all its memory.
//
// Owns: the count of bytes, and the queue of those that wait for room.
// Does not own: what is held; whoever was given room gives it back.
//
// Invariants:
//   1. First come, first served: a large answer is not passed by small ones for ever.
//   2. What is held exceeds the room only by one answer that is larger than the whole room, or by those that may not wait.
import { busy } from './errors.ts';

interface Waiting {
  bytes: number;
  admit(): void;
}

export interface PayloadRoomOptions {
  maxBytes: number;
  /** For how long one waits for room, in ms. */
  waitMs: number;
}

export class PayloadRoom {
  readonly #options: PayloadRoomOptions;
  readonly #queue: Waiting[] = [];
  #held = 0;

  constructor(options: PayloadRoomOptions) {
    this.#options = options;
  }

  /** Bytes that answers hold now. */
  get heldBytes(): number {
    return this.#held;
  }

  /** Takes room at once, whether there is any or not. How to give it back, once. */
  takeNow(bytes: number): () => void {
    this.#held += bytes;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#held -= bytes;
      this.#admitWaiting();
    };
  }

  /**
   * Takes room, once there is some. How to give it back, once. Throws `busy` when that takes too long, or `signal` says that
   * nobody waits any more.
   */
  async take(bytes: number, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw busy();
    return this.#queue.length === 0 && this.#fits(bytes) ? this.takeNow(bytes) : this.#wait(bytes, signal);
  }

  #fits(bytes: number): boolean {
    return this.#held === 0 || this.#held + bytes <= this.#options.maxBytes;
  }

  #wait(bytes: number, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
      };
      const giveUp = (): void => {
        leave();
        // Who was behind may fit.
        this.#admitWaiting();
        reject(busy());
      };
      const admit = (): void => {
        leave();
        resolve(this.takeNow(bytes));
      };
      const waiting: Waiting = { bytes, admit };
      const timer = setTimeout(giveUp, this.#options.waitMs);
      signal.addEventListener('abort', giveUp);
      this.#queue.push(waiting);
    });
  }

  #admitWaiting(): void {
    for (let [first] = this.#queue; first && this.#fits(first.bytes); [first] = this.#queue) first.admit();
  }
}
