import type { IsNewEvent } from '../../engine/event-tail/index.ts';
import type { EventStream } from '../../http/index.ts';
import type { StreamMessage, StreamSource } from './streamSource.ts';

/**
 * A live source for many readers, so that each event is read and formatted once.
 *
 * Owns: the iteration of the source.
 * Does not own: the readers' streams, which their holders add and remove.
 *
 * Invariants:
 * B1. The source runs while it has at least one reader. The last reader to leave ends it.
 * B2. A slow reader delays no other: it is cut off when it does not take its events.
 * B3. When the source ends, all streams end. When the source fails, they are cut off, and the
 *     readers reconnect.
 */
class Broadcast {
  readonly source: Promise<StreamSource>;
  readonly #streams = new Map<EventStream, IsNewEvent | undefined>();
  #joined = 0;

  constructor(source: Promise<StreamSource>) {
    this.source = source;
  }

  join(): void {
    this.#joined += 1;
  }

  add(stream: EventStream, isNewEvent?: IsNewEvent): void {
    this.#streams.set(stream, isNewEvent);
  }

  /** B1. Removes a reader; true if it was the last. */
  leave(stream: EventStream | undefined): boolean {
    if (stream) this.#streams.delete(stream);
    this.#joined -= 1;
    return this.#joined === 0;
  }

  /** B3 */
  async run(source: StreamSource): Promise<void> {
    try {
      for (let next = await source.next(); !next.done; next = await source.next()) this.#send(next.value);
      for (const stream of this.#streams.keys()) stream.end();
    } catch (error) {
      for (const stream of this.#streams.keys()) stream.cutOff();
      throw error;
    }
  }

  /** Sends a message, without waiting (B2), to the readers that it is new for. */
  #send({ text, event }: StreamMessage): void {
    for (const [stream, isNewEvent] of this.#streams)
      if (!event || !isNewEvent || isNewEvent(event)) stream.offer(text);
  }
}

export interface Membership {
  /** `isNewEvent` selects the events for this reader. Default: all. */
  add(stream: EventStream, isNewEvent?: IsNewEvent): void;
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
      add(stream, isNewEvent) {
        held = stream;
        broadcast.add(stream, isNewEvent);
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
