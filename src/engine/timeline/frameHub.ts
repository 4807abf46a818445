import type { Frame } from '../bus.ts';
import type { EngineContext } from '../context.ts';

import { perEngine } from '../perEngine.ts';
import { Followers, type Tip } from './followers.ts';
import type { JournalReader } from './journalTail.ts';
import { Poller } from './poller.ts';
import { findMovedRuns } from './sql/findMovedRuns.ts';

const intervalMs = 1_000;
/**
 * The number of readers that lengthens the interval of polls by 1 ms. So polls for very many
 * streams take no more than a few percent of a core.
 */
const readersPerMs = 10;
const runsPerStatement = 5_000;

/**
 * Owns: which readers follow which run, and the poll of the database for commits of other
 * processes. Does not own: the position of a reader.
 *
 * A commit of this process costs nothing for readers of other runs. All readers together cost one
 * statement a second.
 */
export class FrameHub {
  readonly #ctx: EngineContext;
  readonly #runs = new Followers<Frame>();
  readonly #poller: Poller;

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
    this.#poller = new Poller({
      what: 'frames',
      log: ctx.log,
      nextInMs: () => (this.#runs.count === 0 ? undefined : Math.max(intervalMs, this.#runs.count / readersPerMs)),
      runOnce: () => this.runOnce(),
    });
    ctx.bus.on('run.frames', ({ runId, frames }) => {
      for (const reader of this.#runs.of(runId)) reader.offer(frames);
    });
    ctx.bus.on('run.moved', ({ runs, goesOn = false }) => {
      for (const { runId } of runs) {
        for (const reader of this.#runs.of(runId)) if (!(goesOn && reader.awaitsEnd)) reader.look();
      }
    });
  }

  /** Follows a run until the returned function is called. */
  follow(runId: string, reader: JournalReader<Frame>): () => void {
    const leave = this.#runs.add(runId, reader);
    this.#poller.adjust();
    return () => {
      if (leave()) this.#poller.adjust();
    };
  }

  /** Polls once for frames of other processes. Returns the number of runs that had some. */
  async runOnce(): Promise<number> {
    const watched = this.#runs.oldestTips();
    let moved = 0;
    for (let start = 0; start < watched.length; start += runsPerStatement) {
      moved += await this.#lookFor(watched.slice(start, start + runsPerStatement));
    }
    return moved;
  }

  async #lookFor(watched: readonly Tip[]): Promise<number> {
    const rows = await findMovedRuns(this.#ctx.db, {
      watched: watched.map(({ key, ...tip }) => ({ runId: key, ...tip })),
    });
    for (const { runId, seq, needsDecision } of rows) {
      for (const reader of this.#runs.of(runId)) {
        const isBehind = reader.tip !== undefined && (seq === null || seq > reader.tip);
        if (isBehind || (needsDecision && reader.awaitsDecision)) reader.look();
      }
    }
    return rows.length;
  }
}

/** The hub of an engine. */
export const frameHub = perEngine((ctx) => new FrameHub(ctx));
