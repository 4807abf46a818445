import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import { Poller } from '../timeline/index.ts';
import { type EventListener, FollowedEvents } from './followedEvents.ts';
import { lateMs, lowestIdAt } from './idTime.ts';
import { listRecentEvents, type RecentEventRow } from './sql/listRecentEvents.ts';

/** Where a look begins: at the moment of the last one that left nothing to tell. */
interface LookedAt {
  /** The transactions that were over: theirs need not be looked at again. */
  snapshot: string | null;
  /** So far back goes the look for what was not recorded yet. */
  floorId: string;
}

interface FollowedProject {
  events: FollowedEvents;
  /** For the look every second, which goes far back. */
  wide: LookedAt;
  /** For all looks between. */
  near: LookedAt;
}

type Followed = [projectId: string, project: FollowedProject];

interface Look {
  projectId: string;
  project: FollowedProject;
  isWide: boolean;
  from: LookedAt;
  take: ReturnType<FollowedEvents['look']>;
  /** What it showed, newest first. */
  rows: RecentEventRow[];
}

const intervalMs = 1_000;
/**
 * From one look for what was announced to the next: many events that come together share one. Where
 * looks take long, they take a fifth of the time.
 */
const announcedMs = { least: 10, most: 250, perLookMs: 4 };
const pageEvents = 1_000;
/**
 * More at once than so many pages of one project, and those that came first are told only if this
 * process hears of them.
 */
const maxPages = 10;

/**
 * Owns: who follows the events of which project, and the looks into the database for what was
 * recorded there: at once for what the bus tells of, every second for what other processes did not
 * tell of.
 *
 * Ids do not commit in their order, so a look is at the newest ones, and passes on those that were
 * not there at the look before, ten thousand of a project at most. At higher rates an event of
 * another process may pass unseen; those of this process never do.
 */
export class EventHub {
  readonly #ctx: EngineContext;
  readonly #projects = new Map<string, FollowedProject>();
  readonly #poller: Poller;
  readonly #arrivals: Poller;
  readonly #announcements: Poller;
  #announcedMs = announcedMs.least;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
    this.#poller = new Poller({
      what: 'events',
      log: ctx.log,
      nextInMs: () => (this.#projects.size > 0 ? intervalMs : undefined),
      runOnce: () => this.runOnce(),
    });
    this.#arrivals = new Poller({
      what: 'events of projects that nobody followed before',
      log: ctx.log,
      nextInMs: () => (this.#unprimed().length > 0 ? 0 : undefined),
      runOnce: () => this.#look(this.#unprimed(), false),
    });
    this.#announcements = new Poller({
      what: 'events that were announced',
      log: ctx.log,
      nextInMs: () => (this.#withNews().length > 0 ? this.#announcedMs : undefined),
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
    this.#arrivals.adjust();
    return () => {
      project.events.remove(listener);
      if (!project.events.isFollowed && this.#projects.get(projectId) === project) this.#projects.delete(projectId);
      this.#poller.adjust();
      this.#arrivals.adjust();
    };
  }

  /**
   * Resolves once nothing can be recorded any more that those who follow the project now are not
   * told of.
   */
  async primed(projectId: string): Promise<void> {
    await this.#projects.get(projectId)?.events.primed;
  }

  /** Looks once for events that nobody told of; returns how many there were. */
  runOnce(): Promise<number> {
    return this.#look([...this.#projects], false);
  }

  /** One at a time: each begins where the last one left off. */
  #look(followed: readonly Followed[], isPatient: boolean): Promise<number> {
    const look = this.#turn.then(() => this.#lookNow(followed, isPatient));
    this.#turn = look.catch(() => undefined);
    return look;
  }

  async #lookNow(followed: readonly Followed[], isPatient: boolean): Promise<number> {
    const beganAt = performance.now();
    const now = this.#ctx.clock.now();
    const looks = followed.map(([projectId, project]): Look => {
      const { events, wide, near } = project;
      const isWide = !(isPatient && events.isPrimed);
      return { projectId, project, isWide, from: isWide ? wide : near, take: events.look(), rows: [] };
    });
    await this.#readNews(looks);
    let told = 0;
    for (const { project, isWide, from, take, rows } of looks) {
      told += take(rows.toReversed(), isPatient);
      if (project.events.hasKept) continue;
      const snapshot = rows[0]?.current ?? from.snapshot;
      project.near = lookedAt(now, lateMs.usual, snapshot);
      if (isWide) project.wide = lookedAt(now, lateMs.most, snapshot);
    }
    const pauseMs = announcedMs.perLookMs * (performance.now() - beganAt);
    if (isPatient) this.#announcedMs = Math.min(Math.max(pauseMs, announcedMs.least), announcedMs.most);
    return told;
  }

  /**
   * What each project has that was not there where the look begins. What comes while the pages are
   * read is left to the next.
   */
  async #readNews(looks: readonly Look[]): Promise<void> {
    const found = new Map(looks.map(({ projectId, rows }) => [projectId, rows]));
    let open = looks;
    for (let page = 1; page <= maxPages && open.length > 0; page += 1) {
      const rows = await listRecentEvents(this.#ctx.db, {
        watched: open.map(({ projectId, from, rows }) => ({
          projectId,
          floor: from.floorId,
          ceiling: rows.at(-1)?.id,
          seen: from.snapshot,
        })),
        limit: pageEvents,
      });
      for (const row of rows) found.get(row.projectId)?.push(row);
      open = open.filter((look) => {
        const last = look.rows[page * pageEvents - 1];
        return last !== undefined && !look.project.events.isBehind(last.id);
      });
    }
  }

  #withNews(): Followed[] {
    return [...this.#projects].filter(([, { events }]) => events.hasNews);
  }

  #unprimed(): Followed[] {
    return [...this.#projects].filter(([, { events }]) => !events.isPrimed);
  }

  #newProject(): FollowedProject {
    const now = this.#ctx.clock.now();
    const events = new FollowedEvents(lowestIdAt(now), () => performance.now());
    const first = lookedAt(now, lateMs.most, null);
    return { events, wide: first, near: first };
  }
}

const lookedAt = (now: Date, backMs: number, snapshot: string | null): LookedAt => ({
  snapshot,
  floorId: lowestIdAt(new Date(now.getTime() - backMs)),
});

/** The hub of an engine. */
export const eventHub = perEngine((ctx) => new EventHub(ctx));
