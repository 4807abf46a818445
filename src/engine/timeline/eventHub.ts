import type { EngineContext } from '../context.ts';
import { lowestIdAt } from './lowestIdAt.ts';
import { Poller } from './poller.ts';
import { listRecentEvents, type RecentEventRow } from './sql/listRecentEvents.ts';

/** An event that was recorded: which, and what filters ask for. Its record is read from the event log. */
export interface IngestedEvent {
  id: string;
  app: string;
  name: string;
}

type EventListener = (event: IngestedEvent) => void;

interface WatchedProject {
  listeners: Set<EventListener>;
  /** Ids that were passed on, or are older than the watch. The oldest go first. */
  seen: Set<string>;
  /** Ids below this were there before the watch began. */
  startId: string;
  /** What is older than this was never of interest, whenever it turns up. */
  floorId: string;
  isPrimed: boolean;
}

const intervalMs = 1_000;
const recentEvents = 1_000;
const maxSeen = 4_000;
/** Ids are made before they are committed, by processes whose clocks differ: look back this far. */
const lookBackMs = 60_000;

/**
 * Owns: who follows the events of which project, and the look into the database for what other processes recorded.
 *
 * Ids do not commit in their order, so the look is at the newest ones and passes on those it has not seen. At very high
 * rates an event of another process may pass unseen; those of this process never do.
 */
export class EventHub {
  readonly #ctx: EngineContext;
  readonly #projects = new Map<string, WatchedProject>();
  readonly #poller: Poller;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
    this.#poller = new Poller({
      what: 'events',
      log: ctx.log,
      nextInMs: () => this.#nextInMs(),
      runOnce: () => this.runOnce(),
    });
    ctx.bus.on('event.ingested', ({ projectId, eventId, app, name }) => {
      const project = this.#projects.get(projectId);
      if (project) passOn(project, { id: eventId, app, name });
    });
  }

  /** Hears of a project's events from now on, until the returned function is called. */
  listen(projectId: string, listener: EventListener): () => void {
    const project = this.#projects.get(projectId) ?? this.#newProject();
    this.#projects.set(projectId, project);
    project.listeners.add(listener);
    this.#poller.adjust();
    return () => {
      project.listeners.delete(listener);
      if (project.listeners.size === 0 && this.#projects.get(projectId) === project) this.#projects.delete(projectId);
      this.#poller.adjust();
    };
  }

  /** Looks once for events that nobody told of; returns how many there were. */
  async runOnce(): Promise<number> {
    const projectIds = [...this.#projects.keys()];
    const floors = [...this.#projects.values()].map(({ floorId }) => floorId);
    const rows = await listRecentEvents(this.#ctx.db, { projectIds, floors, limit: recentEvents });
    let found = 0;
    for (const row of rows.reverse()) if (this.#take(row)) found += 1;
    for (const projectId of projectIds) {
      const project = this.#projects.get(projectId);
      if (project) project.isPrimed = true;
    }
    return found;
  }

  #take({ projectId, ...event }: RecentEventRow): boolean {
    const project = this.#projects.get(projectId);
    if (!project || project.seen.has(event.id)) return false;
    if (!project.isPrimed && event.id < project.startId) {
      remember(project, event.id);
      return false;
    }
    passOn(project, event);
    return true;
  }

  #nextInMs(): number | undefined {
    if (this.#projects.size === 0) return undefined;
    return [...this.#projects.values()].every(({ isPrimed }) => isPrimed) ? intervalMs : 0;
  }

  #newProject(): WatchedProject {
    const now = this.#ctx.clock.now();
    const floor = new Date(now.getTime() - lookBackMs);
    const ids = { startId: lowestIdAt(now), floorId: lowestIdAt(floor) };
    return { listeners: new Set(), seen: new Set(), isPrimed: false, ...ids };
  }
}

function passOn(project: WatchedProject, event: IngestedEvent): void {
  if (project.seen.has(event.id)) return;
  remember(project, event.id);
  for (const listener of project.listeners) listener(event);
}

function remember({ seen }: WatchedProject, id: string): void {
  seen.add(id);
  const [oldest] = seen;
  if (seen.size > maxSeen && oldest !== undefined) seen.delete(oldest);
}

const hubs = new WeakMap<EngineContext, EventHub>();

/** The hub of an engine; made at first use. */
export function eventHub(ctx: EngineContext): EventHub {
  const hub = hubs.get(ctx) ?? new EventHub(ctx);
  hubs.set(ctx, hub);
  return hub;
}
