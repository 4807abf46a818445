import type { EngineContext } from '../context.ts';
import type { IngestedEvent } from './eventHub.ts';
import { lowestIdAt, timeOfId } from './lowestIdAt.ts';
import type { Mailbox } from './mailbox.ts';
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
/** How far, and over how many events, it goes back behind what the consumer saw last. */
const lookBackMs = 10_000;
const maxRepeated = 2_000;

/**
 * Events after one that the consumer has seen: those in the log, then those that came meanwhile, then live. The mailbox is
 * open from the start, so that nothing falls in between. Events are not told in the order of their ids, which are made before
 * they are recorded: what was told last says little about those just before it, so those are told again first.
 */
export class EventTail implements AsyncIterableIterator<IngestedEvent> {
  readonly #ctx: EngineContext;
  readonly #filter: EventFilter;
  readonly #mailbox: Mailbox<IngestedEvent>;
  readonly #replayed = new Set<string>();
  /** Undefined once the log has been read. */
  #after: string | undefined;
  #hasLookedBack = false;
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
      if (this.#after !== undefined && !this.#hasLookedBack) await this.#lookBack(this.#after);
      else if (this.#after !== undefined) await this.#readLog(this.#after);
      else {
        const next = await this.#mailbox.next();
        if (next.done || !this.#replayed.delete(next.value.id)) return next;
      }
    }
    return { done: true, value: undefined };
  }

  async #lookBack(after: string): Promise<void> {
    const { projectId, app = null, name = null } = this.#filter;
    const floor = lowestIdAt(new Date(Math.max(0, timeOfId(after) - lookBackMs)));
    const range = { before: after, floor, limit: maxRepeated };
    this.#replay((await listEventsBefore(this.#ctx.db, { projectId, app, name, ...range })).reverse());
    this.#hasLookedBack = true;
  }

  async #readLog(after: string): Promise<void> {
    const { projectId, app = null, name = null } = this.#filter;
    const page = await listEventsAfter(this.#ctx.db, { projectId, app, name, after, limit: pageEvents });
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
