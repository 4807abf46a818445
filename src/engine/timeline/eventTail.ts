import type { EngineContext } from '../context.ts';
import type { IngestedEvent } from './eventHub.ts';
import type { Mailbox } from './mailbox.ts';
import { listEventsAfter } from './sql/listEventsAfter.ts';

export interface EventFilter {
  projectId: string;
  app?: string | undefined;
  name?: string | undefined;
}

const pageEvents = 200;
/** More than a mailbox holds, so that no event comes from the log and then again from the mailbox. */
const maxReplayed = 5_000;

/**
 * Events after one that the consumer has seen: those in the log, then those that came meanwhile, then live. The mailbox is
 * open from the start, so that nothing falls in between.
 */
export class EventTail implements AsyncIterableIterator<IngestedEvent> {
  readonly #ctx: EngineContext;
  readonly #filter: EventFilter;
  readonly #mailbox: Mailbox<IngestedEvent>;
  readonly #replayed = new Set<string>();
  /** Undefined once the log has been read. */
  #after: string | undefined;
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
      if (this.#after !== undefined) await this.#readLog(this.#after);
      else {
        const next = await this.#mailbox.next();
        if (next.done || !this.#replayed.delete(next.value.id)) return next;
      }
    }
    return { done: true, value: undefined };
  }

  async #readLog(after: string): Promise<void> {
    const { projectId, app = null, name = null } = this.#filter;
    const page = await listEventsAfter(this.#ctx.db, { projectId, app, name, after, limit: pageEvents });
    this.#after = page.length < pageEvents ? undefined : page.at(-1)?.id;
    this.#page = page;
    for (const { id } of page) this.#replayed.add(id);
    for (const id of this.#replayed) {
      if (this.#replayed.size <= maxReplayed) break;
      this.#replayed.delete(id);
    }
  }
}
