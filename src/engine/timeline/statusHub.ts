import type { BusEvents, Frame, RunRef } from '../bus.ts';
import type { EngineContext } from '../context.ts';

import { perEngine } from '../perEngine.ts';
import type { RunStatus } from '../runs/index.ts';
import { runStatusOf } from './framePayload.ts';
import { burst, Mailbox } from './mailbox.ts';
import { readClock } from './sql/readClock.ts';
import { type LatestStatusRow, readLatestStatuses } from './sql/readLatestStatuses.ts';

/** A run changed its status. */
export interface RunStatusChange {
  runId: string;
  app: string;
  workflow: string;
  status: RunStatus;
  ts: Date;
}

interface StatusListener {
  tell(change: RunStatusChange): void;
  /** Changes of some runs may have been missed. */
  miss?(): void;
}

interface Follower {
  listener: StatusListener;
  /** The instant at which following began. Earlier changes are skipped. Undefined until known. */
  since: Date | undefined;
}

type CommittedFrames = BusEvents['run.frames'];

/** The last known frame of a run. */
interface Heard {
  /** The number of the last frame, of whatever kind. */
  seq: number;
  /** The date of the last frame that may have been delivered. */
  at: Date;
}

const runsPerStatement = 500;
const maxPending = 50_000;
const maxHeard = 50_000;
const never = new Date(0);

/**
 * Owns: which followers each project has, and the last known frame of each run.
 *
 * Invariants:
 * H1. The changes of a run are delivered in order of `seq`, each once.
 * H2. Frames that follow the last known frame are delivered at once. If frames are missing between
 *     them, or if a run only moved, the run is looked up. Its other changes wait for that look-up.
 *     So a claim that is announced too early hides no change.
 * H3. A look-up delivers no change from before a follower began to follow, because the hint may
 *     have had another cause.
 */
export class StatusHub {
  readonly #ctx: EngineContext;
  readonly #projects = new Map<string, Set<Follower>>();
  /** Followers that are being dated. */
  readonly #dating = new Set<Promise<void>>();
  /** In order of the last frame delivered, the oldest first. */
  readonly #known = new Map<string, Heard>();
  /** The newest delivered date of all runs that were removed from `#known`. */
  #forgottenAt = never;
  readonly #pending = new Set<string>();
  #underway: ReadonlySet<string> = new Set();
  #isReading = false;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
    ctx.bus.on('run.frames', (committed) => this.#hear(committed));
    ctx.bus.on('run.moved', ({ runs }) => {
      for (const { projectId, runId } of runs) if (this.#projects.has(projectId)) this.#lookUp(runId);
    });
  }

  /**
   * Delivers the changes that this process commits for a project, until the returned function is
   * called.
   */
  listen(projectId: string, listener: StatusListener): () => void {
    const followers = this.#projects.get(projectId) ?? new Set();
    const follower: Follower = { listener, since: undefined };
    this.#projects.set(projectId, followers.add(follower));
    const dating = this.#date(follower).finally(() => this.#dating.delete(dating));
    this.#dating.add(dating);
    return () => {
      followers.delete(follower);
      if (followers.size === 0 && this.#projects.get(projectId) === followers) this.#projects.delete(projectId);
    };
  }

  /**
   * H3. Reads the clock that dates frames, and subtracts the duration of the query. So the result
   *     is rather too early than too late.
   */
  async #date(follower: Follower): Promise<void> {
    const beganAt = performance.now();
    let now = this.#ctx.clock.now();
    try {
      now = (await readClock(this.#ctx.db, { now: this.#ctx.clock.sql() }))[0]?.now ?? now;
    } catch (error) {
      this.#ctx.log.warn({ err: error }, 'reading the database clock failed: using the clock of this process');
    }
    follower.since = new Date(now.getTime() - (performance.now() - beganAt));
  }

  #hear(committed: CommittedFrames): void {
    if (!this.#projects.has(committed.projectId)) return;
    const { runId, frames } = committed;
    const [first] = frames;
    const isAwaited = this.#pending.has(runId) || this.#underway.has(runId);
    const knownSeq = this.#known.get(runId)?.seq ?? 0;
    // H2
    if (!first || isAwaited || first.seq > knownSeq + 1) this.#lookUp(runId);
    else this.#tellCommitted(committed, knownSeq);
  }

  #tellCommitted(committed: CommittedFrames, knownSeq: number): void {
    const { runId, frames } = committed;
    const newFrames = frames.filter((frame) => frame.seq > knownSeq); // H1
    const last = newFrames.at(-1);
    if (!last) return;
    this.#remember(runId, { seq: last.seq, at: last.ts });
    for (const frame of newFrames) this.#deliver(committed, frame, () => true);
  }

  #deliverLookedUp(row: LatestStatusRow, wasKnown: boolean): void {
    const { runId, tip } = row;
    const hasChange = row.seq !== null;
    this.#remember(runId, { seq: tip, at: hasChange ? row.ts : (this.#known.get(runId)?.at ?? never) });
    // H1. An older change may have been delivered before the run was removed.
    if (hasChange && (wasKnown || row.ts > this.#forgottenAt))
      this.#deliver(row, row, ({ since }) => since !== undefined && row.ts >= since);
  }

  #deliver({ projectId, runId, app, workflow }: RunRef, frame: Frame, concerns: (follower: Follower) => boolean): void {
    const status = runStatusOf(frame);
    if (!status) return;
    // One object for all followers, so that equal ones can share what they make of it.
    const change = { runId, app, workflow, status, ts: frame.ts };
    for (const follower of this.#projects.get(projectId) ?? []) if (concerns(follower)) follower.listener.tell(change);
  }

  #remember(runId: string, heard: Heard): void {
    this.#known.delete(runId);
    this.#known.set(runId, heard);
    if (this.#known.size <= maxHeard) return;
    for (const [oldest, { at }] of this.#known) {
      this.#known.delete(oldest);
      if (at > this.#forgottenAt) this.#forgottenAt = at;
      return;
    }
  }

  #lookUp(runId: string): void {
    if (this.#pending.size >= maxPending) {
      this.#tellMissed();
      return;
    }
    this.#pending.add(runId);
    if (!this.#isReading) void this.#readAll();
  }

  /** The projects of runs that were not looked up are unknown. */
  #tellMissed(): void {
    for (const followers of this.#projects.values()) for (const { listener } of followers) listener.miss?.();
  }

  /** Hints that arrive during a statement go into the next one. */
  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#pending.size > 0) await this.#readSome();
    } catch (error) {
      this.#pending.clear();
      this.#ctx.log.warn({ err: error }, 'reading status changes failed: skipping them');
      this.#tellMissed();
    }
    this.#isReading = false;
  }

  async #readSome(): Promise<void> {
    // Yields once, so that the hints of one batch are read together.
    await Promise.resolve();
    await Promise.all(this.#dating);
    const runIds = [...this.#pending].slice(0, runsPerStatement);
    for (const runId of runIds) this.#pending.delete(runId);
    this.#underway = new Set(runIds);
    const known = new Set(runIds.filter((runId) => this.#known.has(runId)));
    try {
      // H2. Further changes of these runs wait for the next turn.
      for (const row of await this.#readLatest(runIds)) this.#deliverLookedUp(row, known.has(row.runId));
    } finally {
      this.#underway = new Set();
    }
  }

  /**
   * H3. Waits for the dates of followers that joined during the read. Followers that join later
   *     must not receive these rows.
   */
  async #readLatest(runIds: readonly string[]): Promise<LatestStatusRow[]> {
    const asked = runIds.map((runId) => ({ runId, after: this.#known.get(runId)?.seq ?? 0 }));
    const rows = await readLatestStatuses(this.#ctx.db, { asked });
    await Promise.all(this.#dating);
    return rows;
  }
}

/** The hub of an engine. */
export const statusHub = perEngine((ctx) => new StatusHub(ctx));

export interface ProjectTailQuery {
  projectId: string;
  /** Only runs of this app. */
  app?: string | undefined;
  /** Only runs of this workflow. */
  workflow?: string | undefined;
  /** Only changes to one of these; an empty list counts as absent. */
  statuses?: readonly RunStatus[] | undefined;
  /** Ends the tail. */
  signal?: AbortSignal | undefined;
}

/**
 * The status changes of a project's runs that this process commits from now on, in order for each
 * run. A change may be missed (4.5: best effort); clients refetch. A consumer that is 10,000 behind
 * is cut off.
 */
export function tailProject(ctx: EngineContext, query: ProjectTailQuery): AsyncIterableIterator<RunStatusChange> {
  const { projectId, app, workflow, statuses, signal } = query;
  const tell = (change: RunStatusChange): void => {
    const isWanted =
      (app === undefined || change.app === app) &&
      (workflow === undefined || change.workflow === workflow) &&
      (!statuses?.length || statuses.includes(change.status));
    if (isWanted) mailbox.offer(change);
  };
  const leave = statusHub(ctx).listen(projectId, { tell });
  const mailbox = new Mailbox<RunStatusChange>({ capacity: burst, signal, onClose: leave });
  return mailbox;
}
