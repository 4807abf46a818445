import type { EngineContext } from '../../engine/context.ts';
import { invalid } from '../../engine/errors.ts';
import { keyBounds, type Principal, watchKey } from '../../engine/keys/index.ts';
import type { EventStream, StreamPermit } from '../../http/index.ts';
import { stopping } from '../serve/errors.ts';

/**
 * The open and opening streams: limited per key, ended with their key, and ended when the service
 * stops.
 */
export class OpenStreams {
  readonly #engine: EngineContext;
  readonly #open = new Set<EventStream>();
  #stopping = false;

  constructor(engine: EngineContext) {
    this.#engine = engine;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Throws `invalid` if the key has too many streams, and `503` while the service stops. */
  admit(principal: Principal): StreamPermit {
    if (this.#stopping) throw stopping();
    const { permits } = keyBounds(this.#engine);
    const releasePermit = permits.take(principal);
    if (!releasePermit) throw invalid(permits.refusal);
    let forget = (): void => {};
    return {
      hold: (stream) => {
        forget = this.#hold(principal, stream);
        return stream;
      },
      release: () => {
        forget();
        releasePermit();
      },
    };
  }

  #hold(principal: Principal, stream: EventStream): () => void {
    this.#open.add(stream);
    const unwatch = watchKey(this.#engine, principal, () => stream.revoke());
    if (this.#stopping) stream.end();
    return () => {
      unwatch();
      this.#open.delete(stream);
    };
  }

  endAll(): void {
    this.#stopping = true;
    for (const stream of this.#open) stream.end();
  }
}
