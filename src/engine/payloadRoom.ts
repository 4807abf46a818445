// How much payload text the answers of this process hold together: so that many large ones wait for
// each other rather than take all its memory.
//
// Owns: the count of bytes by answer, and the queue of those that wait for room.
// Does not own: what is held; whoever was given room gives it back.
//
// Invariants:
//   1. First come, first served: a large answer is not passed by small ones for ever. Answers that
//      hold room already go first, as nobody else gets any before they are through.
//   2. Answers never only wait for each other: where all that hold room want more, one of them
//      passes, and it alone until it has given all back.
//   3. What is held exceeds the room only by the one answer that passes, and by those that may not
//      wait.
import { busy } from './errors.ts';

interface Waiting {
  bytes: number;
  answer: object;
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
  readonly #heldBy = new Map<object, number>();
  #held = 0;
  /** The answer that may exceed the room. */
  #passing: object | undefined;

  constructor(options: PayloadRoomOptions) {
    this.#options = options;
  }

  /** Bytes that answers hold now. */
  get heldBytes(): number {
    return this.#held;
  }

  /**
   * Takes room at once, whether there is any or not, for `answer`: by default one of its own. How
   * to give it back, once.
   */
  takeNow(bytes: number, answer: object = {}): () => void {
    this.#add(answer, bytes);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#add(answer, -bytes);
      this.#admitWaiting();
    };
  }

  /**
   * Takes room for `answer`, by default one of its own, once there is some. How to give it back,
   * once. Throws `busy` when that takes too long, or `signal` says that nobody waits any more.
   */
  async take(bytes: number, signal: AbortSignal, answer: object = {}): Promise<() => void> {
    if (signal.aborted) throw busy();
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
        resolve(this.takeNow(bytes, answer));
      };
      const waiting: Waiting = { bytes, answer, admit };
      const timer = setTimeout(giveUp, this.#options.waitMs);
      signal.addEventListener('abort', giveUp);
      this.#queue.push(waiting);
      // That this one waits may be what lets another pass.
      this.#admitWaiting();
    });
  }

  #add(answer: object, bytes: number): void {
    this.#held += bytes;
    const held = (this.#heldBy.get(answer) ?? 0) + bytes;
    if (held > 0) this.#heldBy.set(answer, held);
    else {
      this.#heldBy.delete(answer);
      if (this.#passing === answer) this.#passing = undefined;
    }
  }

  #admitWaiting(): void {
    for (let next = this.#next(); next; next = this.#next()) next.admit();
  }

  /** Who has its turn, if there is room for it. */
  #next(): Waiting | undefined {
    const first = this.#queue.find(({ answer }) => this.#heldBy.has(answer)) ?? this.#queue[0];
    if (!first || this.#held + first.bytes <= this.#options.maxBytes) return first;
    return this.#pass();
  }

  /**
   * Who may exceed the room: whoever did so before, or else the first, where nobody who holds any
   * can go on without.
   */
  #pass(): Waiting | undefined {
    const waiting = new Set(this.#queue.map(({ answer }) => answer));
    for (const answer of this.#heldBy.keys()) if (!waiting.has(answer)) return undefined;
    const isPassing = ({ answer }: Waiting): boolean => this.#passing === undefined || answer === this.#passing;
    const holds = ({ answer }: Waiting): boolean => this.#held === 0 || this.#heldBy.has(answer);
    const next = this.#queue.find((each) => isPassing(each) && holds(each));
    this.#passing = next?.answer;
    return next;
  }
}
