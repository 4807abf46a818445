import type { EngineContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { isId } from '../ids.ts';
import { hasUnsupportedCharacter } from '../json/index.ts';
import { Mailbox } from '../timeline/index.ts';
import { eventHub } from './eventHub.ts';
import type { IngestedEvent } from './followedEvents.ts';
import { lateMs, lowestIdAt, timeOfId } from './idTime.ts';
import { type EventPosition, findEventPosition } from './sql/findEventPosition.ts';
import { listEventsAfter } from './sql/listEventsAfter.ts';
import { listEventsBefore } from './sql/listEventsBefore.ts';

export interface EventFilter {
  projectId: string;
  app?: string | undefined;
  name?: string | undefined;
}

const pageEvents = 200;
/**
 * More than a mailbox holds, so that no event comes from the log and then again from the mailbox.
 */
const maxReplayed = 5_000;
/** Over how many events it goes back behind what the consumer saw last. */
const maxRepeated = 2_000;

/**
 * Events after one that the consumer has seen: those in the log, then those that came meanwhile,
 * then live. The mailbox is open from the start, so that nothing falls in between.
 *
 * Events are not told in the order of their ids, which are made before they are recorded. Before an
 * event come all of older ids that were committed before it was recorded, or with it
 * (`FollowedEvents`); of the others of older ids nothing is known, and they are told first, though
 * some may be told again. That holds here too: the log is read as it was at one moment, so that no
 * page tells of an event before the mailbox does of one that was committed earlier.
 */
export class EventTail implements AsyncIterableIterator<IngestedEvent> {
  readonly #ctx: EngineContext;
  readonly #filter: EventFilter;
  readonly #mailbox: Mailbox<IngestedEvent>;
  readonly #replayed = new Set<string>();
  /**
   * Of older ids, and there when the consumer's last one was recorded: it was told of them, though
   * this process may tell them yet.
   */
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

export interface EventTailQuery extends EventFilter {
  /**
   * The last event that the consumer has seen: those after it come first, and before them those of
   * the ten seconds before it that may have been recorded later. Absent: nothing of the past.
   */
  afterId?: string | undefined;
  /** Ends the tail. */
  signal?: AbortSignal | undefined;
}

const capacity = 2_000;

/**
 * A project's events as they are recorded (4.3), by id: the record itself is read from the event
 * log. A consumer that falls two thousand behind is cut off, and resumes from the last event that
 * it saw; then some may come twice. Throws `invalid` when `afterId` is no id.
 */
export function tailEvents(ctx: EngineContext, query: EventTailQuery): AsyncIterableIterator<IngestedEvent> {
  const { projectId, app, name, afterId, signal } = query;
  if (afterId !== undefined && !isId(afterId)) throw invalid('after must be the id of an event');
  const leave = eventHub(ctx).listen(projectId, (event) => {
    const isWanted = (app === undefined || event.app === app) && (name === undefined || event.name === name);
    if (isWanted) mailbox.offer(event);
  });
  const mailbox = new Mailbox<IngestedEvent>({ capacity, signal, onClose: leave });
  // What no column can hold names nothing that was recorded.
  const isNameable = ![app, name].some((text) => text !== undefined && hasUnsupportedCharacter(text));
  if (afterId === undefined || !isNameable) return mailbox;
  return new EventTail(ctx, { projectId, app, name, after: afterId }, mailbox);
}
