import type { BusEvents } from '../bus.ts';
import type { EngineContext } from '../context.ts';
import type { RunStatus } from '../runs/status.ts';
import { runStatusOf } from './runStatusOf.ts';
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

type StatusListener = (change: RunStatusChange) => void;

interface Follower {
  listener: StatusListener;
  /** What is dated before it had happened when it began to follow. Undefined until that is known. */
  since: Date | undefined;
}

type CommittedFrames = BusEvents['run.frames'];

const runsPerStatement = 500;
const maxPending = 50_000;
const maxTold = 50_000;

/**
 * Owns: who follows the runs of which project, and what was told of which run.
 *
 * Invariants:
 * 1. Per run, changes are told in order of `seq`, each once.
 * 2. A hint that names no frames is looked up; until then, what else comes of that run waits for the same look-up.
 * 3. A look-up tells nobody of what had happened when they began to follow: something else may have been the reason of the hint.
 */
export class StatusHub {
  readonly #ctx: EngineContext;
  readonly #projects = new Map<string, Set<Follower>>();
  /** Followers that are being dated. */
  readonly #dating = new Set<Promise<void>>();
  /** The number of the last frame told of a run. The oldest go first. */
  readonly #told = new Map<string, number>();
  readonly #pending = new Set<string>();
  #underway: ReadonlySet<string> = new Set();
  #isReading = false;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
    ctx.bus.on('run.frames', (committed) => this.#hear(committed));
  }

  /** Hears of the changes that this process commits for a project, until the returned function is called. */
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

  /** By the clock that dates frames, and rather too early, by what the answer took, than too late. */
  async #date(follower: Follower): Promise<void> {
    const beganAt = performance.now();
    let now = this.#ctx.clock.now();
    try {
      now = (await readClock(this.#ctx.db, { now: this.#ctx.clock.sql() }))[0]?.now ?? now;
    } catch (error) {
      this.#ctx.log.warn({ err: error }, 'the clock of the database could not be read');
    }
    follower.since = new Date(now.getTime() - (performance.now() - beganAt));
  }

  #hear(committed: CommittedFrames): void {
    if (!this.#projects.has(committed.projectId)) return;
    const { runId, frames } = committed;
    const isAwaited = this.#pending.has(runId) || this.#underway.has(runId);
    if (frames.length === 0 || isAwaited) this.#lookUp(runId);
    else this.#tell(committed);
  }

  #tell({ projectId, runId, app, workflow, frames }: CommittedFrames, isLookedUp = false): void {
    for (const frame of frames) {
      const status = runStatusOf(frame);
      if (!status || frame.seq <= (this.#told.get(runId) ?? 0)) continue;
      this.#remember(runId, frame.seq);
      for (const { listener, since } of this.#projects.get(projectId) ?? []) {
        if (!isLookedUp || (since && frame.ts >= since)) listener({ runId, app, workflow, status, ts: frame.ts });
      }
    }
  }

  #remember(runId: string, seq: number): void {
    this.#told.delete(runId);
    this.#told.set(runId, seq);
    const [oldest] = this.#told.keys();
    if (this.#told.size > maxTold && oldest !== undefined) this.#told.delete(oldest);
  }

  #lookUp(runId: string): void {
    if (this.#pending.size >= maxPending) return;
    this.#pending.add(runId);
    if (!this.#isReading) void this.#readAll();
  }

  /** What comes in while a statement is under way goes into the next one. */
  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#pending.size > 0) await this.#readSome();
    } catch (error) {
      this.#pending.clear();
      this.#ctx.log.warn({ err: error }, 'status changes could not be read');
    }
    this.#isReading = false;
  }

  async #readSome(): Promise<void> {
    // One turn, so that the hints of one batch are read together.
    await Promise.resolve();
    await Promise.all(this.#dating);
    const runIds = [...this.#pending].slice(0, runsPerStatement);
    for (const runId of runIds) this.#pending.delete(runId);
    this.#underway = new Set(runIds);
    const rows = await this.#readLatest(runIds).finally(() => {
      this.#underway = new Set();
    });
    const newest = new Map(rows.map((row) => [row.runId, row.seq]));
    for (const row of rows) {
      // Of a run that was not told of yet, only the newest is news for sure.
      if (this.#told.has(row.runId) || row.seq === newest.get(row.runId)) this.#tell({ ...row, frames: [row] }, true);
    }
  }

  /** Whoever began to follow meanwhile is dated, too: who comes later than this has nothing to hear of what was read. */
  async #readLatest(runIds: readonly string[]): Promise<LatestStatusRow[]> {
    const rows = await readLatestStatuses(this.#ctx.db, { runIds });
    await Promise.all(this.#dating);
    return rows;
  }
}

const hubs = new WeakMap<EngineContext, StatusHub>();

/** The hub of an engine; made at first use. */
export function statusHub(ctx: EngineContext): StatusHub {
  const hub = hubs.get(ctx) ?? new StatusHub(ctx);
  hubs.set(ctx, hub);
  return hub;
}
