import type { EngineContext } from '../../engine/context.ts';
import { invalid } from '../../engine/errors.ts';
import { type Principal, watchKey } from '../../engine/keys/index.ts';
import { KeySeats } from '../../http/index.ts';
import { stopping } from '../serve/errors.ts';
import type { EventStream } from './eventStream.ts';

/** A stream's place among those of its key. */
export interface StreamPermit {
  /** From now on the stream ends with its key, and when the service stops. */
  take(stream: EventStream): void;
  /** Gives the place back. To be called however the request went. */
  leave(): void;
}

/**
 * The streams that are open or about to open: bounded by key, ended with their key, and ended when
 * the service stops.
 */
export class OpenStreams {
  readonly #engine: EngineContext;
  readonly #seats: KeySeats;
  readonly #open = new Set<EventStream>();
  #stopping = false;

  constructor(engine: EngineContext, maxPerKey: number) {
    this.#engine = engine;
    this.#seats = new KeySeats(maxPerKey);
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Throws `invalid` where a key has as many streams as it may, and `503` while the service stops.
   */
  admit(principal: Principal): StreamPermit {
    if (this.#stopping) throw stopping();
    const giveBack = this.#seats.take(principal);
    if (!giveBack) throw invalid(`at most ${this.#seats.max} streams may be open with one key`);
    let forget = (): void => {};
    return {
      take: (stream) => {
        forget = this.#hold(principal, stream);
      },
      leave: () => {
        forget();
        giveBack();
      },
    };
  }

  #hold(principal: Principal, stream: EventStream): () => void {
    this.#open.add(stream);
    const unwatch = watchKey(this.#engine, principal, () => stream.end());
    if (this.#stopping) stream.end();
    return () => {
      unwatch();
      this.#open.delete(stream);
    };
  }

  /** Ends all streams, and those that are about to open. */
  endAll(): void {
    this.#stopping = true;
    for (const stream of this.#open) stream.end();
  }
}
