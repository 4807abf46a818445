import type { Frame } from '../bus.ts';
import type { EngineContext } from '../context.ts';

import { perEngine } from '../perEngine.ts';
import { Poller } from './poller.ts';
import { findMovedRuns } from './sql/findMovedRuns.ts';

/** A reader of the frames of one run. */
export interface RunReader {
  readonly runId: string;
  /** The number of the last frame that it holds; undefined if it is about to read the database. */
  readonly tip: number | undefined;
  /** New frames of a commit, in order and without a gap. */
  offer(frames: readonly Frame[]): void;
  /** The database holds more than was offered. */
  look(): void;
}

/** A run, and the number of the last frame that its reader holds. */
interface Tip {
  runId: string;
  seq: number;
}

const intervalMs = 1_000;
/**
 * With very many streams the looks come less often, so that they stay below a few percent of a
 * core.
 */
const readersPerMs = 10;
const runsPerStatement = 5_000;

/**
 * Owns: which readers follow which run, and the look into the database for commits of other
 * processes. Does not own: the position of a reader.
 *
 * A commit of this process costs a reader of another run nothing. All readers together cost one
 * statement a second.
 */
export class FrameHub {
  readonly #ctx: EngineContext;
  readonly #runs = new Map<string, Set<RunReader>>();
  readonly #poller: Poller;
  #readers = 0;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
    this.#poller = new Poller({
      what: 'frames',
      log: ctx.log,
      nextInMs: () => (this.#readers === 0 ? undefined : Math.max(intervalMs, this.#readers / readersPerMs)),
      runOnce: () => this.runOnce(),
    });
    ctx.bus.on('run.frames', ({ runId, frames }) => {
      for (const reader of this.#runs.get(runId) ?? []) reader.offer(frames);
    });
    ctx.bus.on('run.moved', ({ runs }) => {
      for (const { runId } of runs) for (const reader of this.#runs.get(runId) ?? []) reader.look();
    });
  }

  /** Follows a run until the returned function is called. */
  follow(reader: RunReader): () => void {
    const readers = this.#runs.get(reader.runId) ?? new Set();
    this.#runs.set(reader.runId, readers.add(reader));
    this.#readers += 1;
    this.#poller.adjust();
    return () => {
      if (!readers.delete(reader)) return;
      if (readers.size === 0 && this.#runs.get(reader.runId) === readers) this.#runs.delete(reader.runId);
      this.#readers -= 1;
      this.#poller.adjust();
    };
  }

  /** Looks once for frames of other processes. Returns the number of runs that had some. */
  async runOnce(): Promise<number> {
    const watched = this.#oldestTips();
    let moved = 0;
    for (let start = 0; start < watched.length; start += runsPerStatement) {
      moved += await this.#lookFor(watched.slice(start, start + runsPerStatement));
    }
    return moved;
  }

  async #lookFor(watched: readonly Tip[]): Promise<number> {
    const rows = await findMovedRuns(this.#ctx.db, { watched });
    for (const { runId, seq } of rows) {
      for (const reader of this.#runs.get(runId) ?? []) {
        if (reader.tip !== undefined && (seq === null || seq > reader.tip)) reader.look();
      }
    }
    return rows.length;
  }

  #oldestTips(): Tip[] {
    const watched: Tip[] = [];
    for (const [runId, readers] of this.#runs) {
      const tips = [...readers].flatMap(({ tip }) => (tip === undefined ? [] : [tip]));
      if (tips.length > 0) watched.push({ runId, seq: tips.reduce((a, b) => Math.min(a, b)) });
    }
    return watched;
  }
}

/** The hub of an engine. */
export const frameHub = perEngine((ctx) => new FrameHub(ctx));
