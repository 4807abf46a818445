import { randomBytes } from 'node:crypto';
import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import { type RunStatusChange, statusHub } from './statusHub.ts';

/** How many changes a log holds at least, and so how far its cursors reach back. */
export const heldChanges = 5_000;

/** How long a log goes on without a reader, so that a reader may come back. */
const lingerMs = 120_000;
/** Logs without readers, at most. */
const maxLingering = 100;

/** The last status changes of a project that this process heard of, numbered from 1. */
export class StatusLog {
  /** Names the log: cursors of another one mean nothing here. */
  readonly id = randomBytes(6).toString('base64url');
  #changes: RunStatusChange[] = [];
  /** The number of the last change that the log does not hold any more. */
  #dropped = 0;
  readonly #readers = new Set<() => void>();

  /** The number of the last change. */
  get tip(): number {
    return this.#dropped + this.#changes.length;
  }

  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  append(change: RunStatusChange): void {
    this.#changes.push(change);
    // Drops many at once, because each time moves all others.
    if (this.#changes.length >= 2 * heldChanges) {
      this.#dropped += heldChanges;
      this.#changes = this.#changes.slice(heldChanges);
    }
    this.#wake();
  }

  /** A change may have been missed, so that no reader can continue. */
  breakOff(): void {
    this.#dropped = this.tip + 1;
    this.#changes = [];
    this.#wake();
  }

  /** Whether the log holds all changes after a number. */
  holdsAfter(no: number): boolean {
    return no >= this.#dropped && no <= this.tip;
  }

  /** The wanted ones of the changes after a number, and the number up to which the search went. */
  read(
    after: number,
    { isWanted, limit }: { isWanted: (change: RunStatusChange) => boolean; limit: number },
  ): { changes: RunStatusChange[]; upTo: number } {
    const changes: RunStatusChange[] = [];
    let upTo = after;
    while (upTo < this.tip && changes.length < limit) {
      const change = this.#changes[upTo - this.#dropped];
      if (change && isWanted(change)) changes.push(change);
      upTo += 1;
    }
    return { changes, upTo };
  }

  /** Calls `wake` after each change, until the returned function is called. */
  follow(wake: () => void): () => void {
    this.#readers.add(wake);
    return () => this.#readers.delete(wake);
  }

  #wake(): void {
    for (const wake of this.#readers) wake();
  }
}

interface Kept {
  log: StatusLog;
  leaveHub: () => void;
  /** Ends a log that has no reader. */
  timer: NodeJS.Timeout | undefined;
}

/** The logs of an engine, one for each project that is read, or was until lately. */
class StatusLogs {
  readonly #ctx: EngineContext;
  /** Those without readers stand in the order in which their last readers left. */
  readonly #kept = new Map<string, Kept>();

  constructor(ctx: EngineContext) {
    this.#ctx = ctx;
  }

  /** Follows the log of a project, until the returned function is called. */
  follow(projectId: string, wake: () => void): { log: StatusLog; leave: () => void } {
    const kept = this.#kept.get(projectId) ?? this.#begin(projectId);
    clearTimeout(kept.timer);
    kept.timer = undefined;
    const stop = kept.log.follow(wake);
    const leave = (): void => {
      stop();
      if (!kept.log.isRead && this.#kept.get(projectId) === kept) this.#linger(projectId, kept);
    };
    return { log: kept.log, leave };
  }

  #begin(projectId: string): Kept {
    const log = new StatusLog();
    const leaveHub = statusHub(this.#ctx).listen(projectId, {
      tell: (change) => log.append(change),
      miss: () => log.breakOff(),
    });
    const kept = { log, leaveHub, timer: undefined };
    this.#kept.set(projectId, kept);
    return kept;
  }

  #linger(projectId: string, kept: Kept): void {
    clearTimeout(kept.timer);
    kept.timer = setTimeout(() => this.#end(projectId, kept), lingerMs).unref();
    this.#kept.delete(projectId);
    this.#kept.set(projectId, kept);
    const lingering = [...this.#kept].filter(([, { log }]) => !log.isRead);
    const [oldest] = lingering;
    if (oldest && lingering.length > maxLingering) this.#end(...oldest);
  }

  #end(projectId: string, kept: Kept): void {
    clearTimeout(kept.timer);
    kept.leaveHub();
    if (this.#kept.get(projectId) === kept) this.#kept.delete(projectId);
  }
}

export const statusLogs = perEngine((ctx) => new StatusLogs(ctx));
