import type { EventStream } from './eventStream.ts';
import type { StreamSource } from './streamSource.ts';

/**
 * One live source told to many readers, so that each event is looked up and written out once,
 * however many watch.
 *
 * Owns the iteration of the source. Does not own the readers' streams: whoever holds one joins and
 * leaves.
 *
 * Invariants: 1. The source runs while at least one reader has joined; the last to leave ends it.
 * 2. A slow reader delays nobody: it is offered events, and cut off when it does not take them. 3.
 * When the source ends, so do all streams; when it fails, they are cut off, and readers come back.
 */
class Broadcast {
  readonly source: Promise<StreamSource>;
  readonly #streams = new Set<EventStream>();
  #joined = 0;

  constructor(source: Promise<StreamSource>) {
    this.source = source;
  }

  join(): void {
    this.#joined += 1;
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
  }

  /** Whether that was the last reader. */
  leave(stream: EventStream | undefined): boolean {
    if (stream) this.#streams.delete(stream);
    this.#joined -= 1;
    return this.#joined === 0;
  }

  async run(source: StreamSource): Promise<void> {
    try {
      for (let next = await source.next(); !next.done; next = await source.next())
        for (const stream of this.#streams) stream.offer(next.value);
      for (const stream of this.#streams) stream.end();
    } catch (error) {
      for (const stream of this.#streams) stream.cutOff();
      throw error;
    }
  }
}

export interface Membership {
  add(stream: EventStream): void;
  leave(): void;
}

/** The live sources that have readers, by what they tell. */
export class Broadcasts {
  readonly #byKey = new Map<string, Broadcast>();
  readonly #onFailed: (error: unknown) => void;

  /** `onFailed` is told what ended a source that nobody ended. */
  constructor(onFailed: (error: unknown) => void) {
    this.#onFailed = onFailed;
  }

  /**
   * Joins the readers of a source, which is opened for the first of them. Rejects where it cannot
   * be opened.
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
      add(stream) {
        held = stream;
        broadcast.add(stream);
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

  /** From now on a new reader opens a source anew. */
  #forget(key: string, broadcast: Broadcast): void {
    if (this.#byKey.get(key) === broadcast) this.#byKey.delete(key);
  }
}
