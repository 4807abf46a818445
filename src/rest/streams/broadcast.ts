import type { IsNews } from '../../engine/event-tail/index.ts';
import type { EventStream } from './eventStream.ts';
import type { StreamSource, Told } from './streamSource.ts';

/**
 * A live source for many readers, so that each event is read and formatted once.
 *
 * Owns: the iteration of the source.
 * Does not own: the readers' streams, which their holders add and remove.
 *
 * Invariants:
 * 1. The source runs while it has at least one reader. The last reader to leave ends it.
 * 2. A slow reader delays no other: it is cut off when it does not take its events.
 * 3. When the source ends, all streams end. When the source fails, they are cut off, and the
 *    readers reconnect.
 */
class Broadcast {
  readonly source: Promise<StreamSource>;
  readonly #streams = new Map<EventStream, IsNews | undefined>();
  #joined = 0;

  constructor(source: Promise<StreamSource>) {
    this.source = source;
  }

  join(): void {
    this.#joined += 1;
  }

  add(stream: EventStream, isNews?: IsNews): void {
    this.#streams.set(stream, isNews);
  }

  /** Removes a reader; true if it was the last. */
  leave(stream: EventStream | undefined): boolean {
    if (stream) this.#streams.delete(stream);
    this.#joined -= 1;
    return this.#joined === 0;
  }

  async run(source: StreamSource): Promise<void> {
    try {
      for (let next = await source.next(); !next.done; next = await source.next()) this.#tell(next.value);
      for (const stream of this.#streams.keys()) stream.end();
    } catch (error) {
      for (const stream of this.#streams.keys()) stream.cutOff();
      throw error;
    }
  }

  /** A reader is not told of an event that was there before it came. */
  #tell({ text, event }: Told): void {
    for (const [stream, isNews] of this.#streams) if (!event || !isNews || isNews(event)) stream.offer(text);
  }
}

export interface Membership {
  /** `isNews`: of which events the reader is told; by default of all. */
  add(stream: EventStream, isNews?: IsNews): void;
  leave(): void;
}

/** The live sources with readers, by key. */
export class Broadcasts {
  readonly #byKey = new Map<string, Broadcast>();
  readonly #onFailed: (error: unknown) => void;

  /** `onFailed` receives the error of a source that failed. */
  constructor(onFailed: (error: unknown) => void) {
    this.#onFailed = onFailed;
  }

  /**
   * Joins the readers of a source, and opens it for the first reader. Rejects if it cannot be
   * opened.
   */
  async join(key: string, open: () => Promise<StreamSource>): Promise<Membership> {
    const broadcast = this.#byKey.get(key) ?? this.#start(key, open);
    broadcast.join();
    let held: EventStream | undefined;
    const leave = (): void => {
      if (broadcast.leave(held)) this.#stop(key, broadcast);
    };
    try {
      await broadcast.source;
    } catch (error) {
      leave();
      throw error;
    }
    return {
      add(stream, isNews) {
        held = stream;
        broadcast.add(stream, isNews);
      },
      leave,
    };
  }

  #start(key: string, open: () => Promise<StreamSource>): Broadcast {
    const broadcast = new Broadcast(open());
    this.#byKey.set(key, broadcast);
    broadcast.source.then(
      (source) =>
        broadcast
          .run(source)
          .catch(this.#onFailed)
          .finally(() => this.#forget(key, broadcast)),
      () => this.#forget(key, broadcast),
    );
    return broadcast;
  }

  #stop(key: string, broadcast: Broadcast): void {
    this.#forget(key, broadcast);
    broadcast.source.then((source) => source.return()).catch(() => undefined);
  }

  /** From now on a new reader opens a new source. */
  #forget(key: string, broadcast: Broadcast): void {
    if (this.#byKey.get(key) === broadcast) this.#byKey.delete(key);
  }
}
