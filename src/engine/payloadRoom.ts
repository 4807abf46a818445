// Limits the payload text that the answers of this process hold together. Without it, many large
// answers at once would use up the memory.
//
// Owns: the bytes that answers reserve, and the queue of waiting answers.
// Does not own: the payloads. An admitted answer resizes its reservation to 0 at its end.
//
// Invariants:
// P1. First come, first served: a small answer does not overtake a large one. So no answer waits
//     for ever.
// P2. An answer waits only while it holds no memory; a reservation grows at once. So answers that
//     hold memory never wait for each other, and cannot deadlock.
// P3. An answer enters only if its reservation fits, or if no memory is reserved. So only growing
//     reservations, and answers that may not wait, exceed the limit.
import { busy } from './errors.ts';

/** The memory of one answer. */
export interface Reservation {
  /** Reserves or releases memory at once; 0 at the end of the answer. */
  resize(bytes: number): void;
}

interface Waiting {
  bytes: number;
  admit(): void;
}

export interface PayloadRoomOptions {
  maxBytes: number;
  /** The maximum wait of an answer, in ms. */
  waitMs: number;
}

export class PayloadRoom {
  readonly #options: PayloadRoomOptions;
  readonly #queue: Waiting[] = [];
  #held = 0;

  constructor(options: PayloadRoomOptions) {
    this.#options = options;
  }

  /** The bytes that are reserved now. */
  get heldBytes(): number {
    return this.#held;
  }

  /** P2, P3: reserves memory at once, for an answer that may not wait. */
  enterNow(bytes: number): Reservation {
    let own = 0;
    const resize = (to: number): void => {
      const freed = own - to;
      own = to;
      this.#held -= freed;
      if (freed > 0) this.#admitWaiting();
    };
    resize(bytes);
    return { resize };
  }

  /**
   * Reserves memory for an answer that holds none, once it fits. Throws `busy` if that takes too
   * long, or if `signal` reports that the caller has gone.
   */
  async enter(bytes: number, signal: AbortSignal): Promise<Reservation> {
    if (signal.aborted) throw busy();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
      };
      const giveUp = (): void => {
        leave();
        reject(busy());
        // The answers behind this one may fit.
        this.#admitWaiting();
      };
      const admit = (): void => {
        leave();
        resolve(this.enterNow(bytes));
      };
      const waiting: Waiting = { bytes, admit };
      const timer = setTimeout(giveUp, this.#options.waitMs);
      signal.addEventListener('abort', giveUp);
      this.#queue.push(waiting);
      this.#admitWaiting();
    });
  }

  // P1: only the first answer of the queue is examined.
  #admitWaiting(): void {
    for (let [next] = this.#queue; next && this.#fits(next); [next] = this.#queue) next.admit();
  }

  // P3
  #fits({ bytes }: Waiting): boolean {
    return this.#held === 0 || this.#held + bytes <= this.#options.maxBytes;
  }
}
