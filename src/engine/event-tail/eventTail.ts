import type { EngineContext } from '../context.ts';
import type { Mailbox } from '../timeline/index.ts';
import { eventHub } from './eventHub.ts';
import type { IngestedEvent } from './followedEvents.ts';
import { lateMs } from './lateMs.ts';
import { lowestIdAt, timeOfId } from './lowestIdAt.ts';
import { type EventPosition, findEventPosition } from './sql/findEventPosition.ts';
import { listEventsAfter } from './sql/listEventsAfter.ts';
import { listEventsBefore } from './sql/listEventsBefore.ts';

export interface EventFilter {
  projectId: string;
  app?: string | undefined;
  name?: string | undefined;
}

const pageEvents = 200;
/** More than a mailbox holds, so that no event comes from the log and then again from the mailbox. */
const maxReplayed = 5_000;
/** Over how many events it goes back behind what the consumer saw last. */
const maxRepeated = 2_000;

/**
 * Events after one that the consumer has seen: those in the log, then those that came meanwhile, then live. The mailbox is
 * open from the start, so that nothing falls in between.
 *
 * Events are not told in the order of their ids, which are made before they are recorded. Before an event come all of older ids
 * that were committed before it was recorded, or with it (`FollowedEvents`); of the others of older ids nothing is known, and they
 * are told first, though some may be told again. That holds here too: the log is read as it was at one moment, so that no page
 * tells of an event before the mailbox does of one that was committed earlier.
 */
export class EventTail implements AsyncIterableIterator<IngestedEvent> {
  readonly #ctx: EngineContext;
  readonly #filter: EventFilter;
  readonly #mailbox: Mailbox<IngestedEvent>;
  readonly #replayed = new Set<string>();
  /** Of older ids, and there when the consumer's last one was recorded: it was told of them, though this process may tell them yet. */
  readonly #wereThere = new Set<string>();
  /** Undefined once the log has been read. */
  #after: string | undefined;
  /** Of what the consumer has seen; undefined until the log is looked at. */
  #position: (EventPosition & { settledBelow: string }) | undefined;
  #page: IngestedEvent[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    ctx: EngineContext,
    { after, ...filter }: EventFilter & { after: string },
    mailbox: Mailbox<IngestedEvent>,
  ) {
    this.#ctx = ctx;
    this.#filter = filter;
    this.#after = after;
    this.#replayed.add(after);
    this.#mailbox = mailbox;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<IngestedEvent, undefined>> {
    const result = this.#turn.then(() => this.#advance());
    this.#turn = result.catch(() => this.return());
    return result;
  }

  return(): Promise<IteratorResult<IngestedEvent, undefined>> {
    return this.#mailbox.return();
  }

  async #advance(): Promise<IteratorResult<IngestedEvent, undefined>> {
    while (!this.#mailbox.isOver) {
      const value = this.#page.shift();
      if (value) return { done: false, value };
      if (this.#after !== undefined) await this.#read(this.#after);
      else {
        const next = await this.#mailbox.next();
        if (next.done || !this.#isKnown(next.value.id)) return next;
      }
    }
    return { done: true, value: undefined };
  }

  #isKnown(id: string): boolean {
    return this.#replayed.delete(id) || this.#wereThere.delete(id);
  }

  async #read(after: string): Promise<void> {
    if (this.#position) return this.#readLog(after, this.#position);
    const { projectId } = this.#filter;
    await eventHub(this.#ctx).primed(projectId);
    const settledBelow = lowestIdAt(new Date(this.#ctx.clock.now().getTime() - lateMs.most));
    const [position] = await findEventPosition(this.#ctx.db, { projectId, id: after });
    if (!position) throw new Error('the log has no position');
    await this.#lookBack(after, position);
    this.#position = { ...position, settledBelow };
  }

  async #lookBack(after: string, position: EventPosition): Promise<void> {
    const floor = lowestIdAt(new Date(Math.max(0, timeOfId(after) - lateMs.usual)));
    const range = { before: after, floor, limit: maxRepeated, ...position };
    const page: IngestedEvent[] = [];
    for (const { wasThere, ...event } of await listEventsBefore(this.#ctx.db, { ...this.#filter, ...range })) {
      if (wasThere) this.#wereThere.add(event.id);
      else page.push(event);
    }
    this.#replay(page.reverse());
  }

  async #readLog(after: string, { current, settledBelow }: EventPosition & { settledBelow: string }): Promise<void> {
    const range = { after, snapshot: current, settledBelow, limit: pageEvents };
    const page = await listEventsAfter(this.#ctx.db, { ...this.#filter, ...range });
    this.#after = page.length < pageEvents ? undefined : page.at(-1)?.id;
    this.#replay(page);
  }

  #replay(page: IngestedEvent[]): void {
    this.#page = page;
    for (const { id } of page) this.#replayed.add(id);
    for (const id of this.#replayed) {
      if (this.#replayed.size <= maxReplayed) break;
      this.#replayed.delete(id);
    }
  }
}
