import type { EngineContext } from '../context.ts';
import { recoverPending } from '../events/index.ts';
import { perEngine } from '../perEngine.ts';
import { Followers, type JournalReader, Poller } from '../timeline/index.ts';
import { type IngestedEvent, listEventsAfter } from './sql/listEventsAfter.ts';

const intervalMs = 1_000;
/** Events that are announced within this share a look. */
const announcedMs = 10;
/** How many events a look reads of a project, and a tail holds. */
export const pageEvents = 1_000;

/**
 * Owns: who follows the events of which project, and the looks into the database: soon after an
 * announcement, and every second for events of other processes, dead ones included.
 * Does not own: what a reader has read; each keeps that itself.
 *
 * One look reads for all readers of a project that are up to date; the others read by themselves.
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
      runOnce: () => this.#lookAtAnnounced(),
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

  /** Looks once for events that nobody announced, and has those delivered whose process died. */
  async runOnce(): Promise<void> {
    await this.#look([...this.#projects.keys]);
    await recoverPending(this.#ctx);
  }

  async #lookAtAnnounced(): Promise<void> {
    const announced = [...this.#announced];
    this.#announced = new Set();
    await this.#look(announced);
  }

  async #look(projectIds: readonly string[]): Promise<void> {
    for (const projectId of projectIds) {
      for (const reader of this.#projects.of(projectId)) if (reader.tip === undefined) reader.look();
    }
    const tips = this.#projects.oldestTips(projectIds);
    if (tips.length === 0) return;
    const watched = tips.map(({ key, seq }) => ({ projectId: key, seq }));
    const rows = await listEventsAfter(this.#ctx.db, { watched, limit: pageEvents });
    const found = new Map<string, IngestedEvent[]>(projectIds.map((projectId) => [projectId, []]));
    for (const event of rows) found.get(event.projectId)?.push(event);
    for (const [projectId, events] of found) this.#offer(projectId, events);
  }

  #offer(projectId: string, events: readonly IngestedEvent[]): void {
    for (const reader of this.#projects.of(projectId)) {
      reader.offer(events);
      // What is beyond the page each reads by itself.
      if (events.length === pageEvents) reader.look();
    }
  }
}

/** The hub of an engine. */
export const eventHub = perEngine((ctx) => new EventHub(ctx));
