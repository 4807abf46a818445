import type { EngineContext } from '../context.ts';
import { recoverPending } from '../events/index.ts';
import { perEngine } from '../perEngine.ts';
import { Followers, type JournalReader, Poller } from '../timeline/index.ts';
import { type IngestedEvent, listEventsAfter, pageEvents } from './sql/listEventsAfter.ts';

const intervalMs = 1_000;
/** Events announced within this time share a read. */
const announcedMs = 10;

/**
 * Owns: the readers of each project's events, and when to read. Announced events are read soon. All
 * others are read every second: events of other processes, including crashed ones.
 * Does not own: the position of a reader.
 *
 * A read serves all readers of a project that are up to date. The others read by themselves.
 */
export class EventHub {
  readonly #ctx: EngineContext;
  readonly #projects = new Followers<IngestedEvent>();
  readonly #poller: Poller;
  #announced = new Set<string>();

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
    this.#poller = new Poller({
      what: 'events',
      log: ctx.log,
      nextInMs: () => (this.#projects.count > 0 ? intervalMs : undefined),
      runOnce: () => this.runOnce(),
    });
    const announcements = new Poller({
      what: 'events that were announced',
      log: ctx.log,
      nextInMs: () => (this.#announced.size > 0 ? announcedMs : undefined),
      runOnce: () => this.#readAnnounced(),
    });
    ctx.bus.on('event.ingested', ({ projectId }) => {
      if (!this.#projects.has(projectId)) return;
      this.#announced.add(projectId);
      announcements.adjust();
    });
  }

  /** Follows the events of a project until the returned function is called. */
  follow(projectId: string, reader: JournalReader<IngestedEvent>): () => void {
    const leave = this.#projects.add(projectId, reader);
    this.#poller.adjust();
    return () => {
      if (leave()) this.#poller.adjust();
    };
  }

  /** Reads unannounced events, and delivers the events of crashed processes. */
  async runOnce(): Promise<void> {
    await this.#read([...this.#projects.keys]);
    await recoverPending(this.#ctx);
  }

  async #readAnnounced(): Promise<void> {
    const announced = [...this.#announced];
    this.#announced = new Set();
    await this.#read(announced);
  }

  async #read(projectIds: readonly string[]): Promise<void> {
    for (const projectId of projectIds) {
      for (const reader of this.#projects.of(projectId)) if (reader.tip === undefined) reader.look();
    }
    const tips = this.#projects.oldestTips(projectIds);
    if (tips.length === 0) return;
    const watched = tips.map(({ key, seq }) => ({ projectId: key, seq }));
    const rows = await listEventsAfter(this.#ctx.db, { watched });
    const found = new Map<string, IngestedEvent[]>(projectIds.map((projectId) => [projectId, []]));
    for (const event of rows) found.get(event.projectId)?.push(event);
    for (const [projectId, events] of found) this.#offer(projectId, events);
  }

  #offer(projectId: string, events: readonly IngestedEvent[]): void {
    for (const reader of this.#projects.of(projectId)) {
      reader.offer(events);
      // The page is full, so each reader reads the rest by itself.
      if (events.length === pageEvents) reader.look();
    }
  }
}

/** The hub of an engine. */
export const eventHub = perEngine((ctx) => new EventHub(ctx));
