import type { EngineContext } from '../context.ts';
import { type EventListener, FollowedEvents } from './followedEvents.ts';
import { lowestIdAt } from './lowestIdAt.ts';
import { Poller } from './poller.ts';
import { listRecentEvents, type RecentEventRow } from './sql/listRecentEvents.ts';

interface FollowedProject {
  events: FollowedEvents;
  /** What is older than this was never of interest, whenever it turns up. */
  floorId: string;
}

const intervalMs = 1_000;
/** From one look for what was announced to the next: many events that come together share one. */
const announcedMs = 10;
const recentEvents = 1_000;
/** Ids are made before they are committed, by processes whose clocks differ: look back this far. */
const lookBackMs = 60_000;

/**
 * Owns: who follows the events of which project, and the looks into the database for what was recorded there: at once for what
 * the bus tells of, every second for what other processes did not tell of.
 *
 * Ids do not commit in their order, so a look is at the newest ones and passes on those that were not told yet. At very high
 * rates an event of another process may pass unseen; those of this process never do.
 */
export class EventHub {
  readonly #ctx: EngineContext;
  readonly #projects = new Map<string, FollowedProject>();
  readonly #poller: Poller;
  readonly #announcements: Poller;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
    this.#poller = new Poller({
      what: 'events',
      log: ctx.log,
      nextInMs: () => this.#nextInMs(),
      runOnce: () => this.runOnce(),
    });
    this.#announcements = new Poller({
      what: 'events that were announced',
      log: ctx.log,
      nextInMs: () => (this.#withNews().length > 0 ? announcedMs : undefined),
      runOnce: () => this.#look(this.#withNews(), true),
    });
    ctx.bus.on('event.ingested', ({ projectId, eventId, app, name }) => {
      this.#projects.get(projectId)?.events.announce({ id: eventId, app, name });
      this.#announcements.adjust();
    });
  }

  /** Hears of a project's events from now on, until the returned function is called. */
  listen(projectId: string, listener: EventListener): () => void {
    const project = this.#projects.get(projectId) ?? this.#newProject();
    this.#projects.set(projectId, project);
    project.events.add(listener);
    this.#poller.adjust();
    return () => {
      project.events.remove(listener);
      if (!project.events.isFollowed && this.#projects.get(projectId) === project) this.#projects.delete(projectId);
      this.#poller.adjust();
    };
  }

  /** Resolves once nothing can be recorded any more that those who follow the project now are not told of. */
  async primed(projectId: string): Promise<void> {
    await this.#projects.get(projectId)?.events.primed;
  }

  /** Looks once for events that nobody told of; returns how many there were. */
  runOnce(): Promise<number> {
    return this.#look([...this.#projects], false);
  }

  async #look(followed: readonly [string, FollowedProject][], isPatient: boolean): Promise<number> {
    const looks = followed.map(([projectId, project]) => ({ projectId, take: project.events.look() }));
    const projectIds = followed.map(([projectId]) => projectId);
    const floors = followed.map(([, { floorId }]) => floorId);
    const rows = await listRecentEvents(this.#ctx.db, { projectIds, floors, limit: recentEvents });
    const found = new Map<string, RecentEventRow[]>(projectIds.map((projectId) => [projectId, []]));
    for (const row of rows.reverse()) found.get(row.projectId)?.push(row);
    return looks.reduce((count, { projectId, take }) => count + take(found.get(projectId) ?? [], isPatient), 0);
  }

  #withNews(): [string, FollowedProject][] {
    return [...this.#projects].filter(([, { events }]) => events.hasNews);
  }

  #nextInMs(): number | undefined {
    if (this.#projects.size === 0) return undefined;
    return [...this.#projects.values()].every(({ events }) => events.isPrimed) ? intervalMs : 0;
  }

  #newProject(): FollowedProject {
    const now = this.#ctx.clock.now();
    const floor = new Date(now.getTime() - lookBackMs);
    return { events: new FollowedEvents(lowestIdAt(now)), floorId: lowestIdAt(floor) };
  }
}

const hubs = new WeakMap<EngineContext, EventHub>();

/** The hub of an engine; made at first use. */
export function eventHub(ctx: EngineContext): EventHub {
  const hub = hubs.get(ctx) ?? new EventHub(ctx);
  hubs.set(ctx, hub);
  return hub;
}
