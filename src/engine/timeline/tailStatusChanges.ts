import type { EngineContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { cursorParts, decodeCursor, encodeCursor } from '../paging/index.ts';
import type { RunStatus } from '../runs/index.ts';
import { Latch } from './mailbox.ts';
import type { RunStatusChange } from './statusHub.ts';
import { type StatusLog, statusLogs } from './statusLog.ts';

/** Several status changes at once, oldest first. */
export interface StatusChanges {
  changes: RunStatusChange[];
  /** The place after these changes, for `after`. */
  cursor: string;
  /** Whether changes before this message may be missing: the reader must read its list again. */
  isGap: boolean;
}

export interface StatusChangesQuery {
  projectId: string;
  app?: string | null | undefined;
  workflow?: string | null | undefined;
  /** Only changes to one of these; an empty list counts as absent. */
  statuses?: readonly RunStatus[] | null | undefined;
  /** A cursor of an earlier message. */
  after?: string | null | undefined;
  /** The smallest time between two messages. Default: 250. */
  intervalMs?: number | null | undefined;
}

export const changeIntervals = { default: 250, max: 60_000 } as const;

/** The maximum number of changes of one message. */
export const maxChanges = 500;

const order = 'runs.statusChanges';
const finished = { done: true, value: undefined } as const;

/**
 * The status changes of a project's runs, several at once. The first message comes at once: with
 * the changes after `after`, or with a cursor and no changes. A cursor names a place in the log of
 * this process. If the log does not hold that place (any more), the first message is a gap, as is
 * one after changes that the process or the reader missed. Throws `invalid` on a damaged cursor.
 */
export function tailStatusChanges(
  ctx: EngineContext,
  { projectId, app, workflow, statuses, after, intervalMs }: StatusChangesQuery,
): AsyncIterableIterator<StatusChanges> {
  const interval = intervalMs ?? changeIntervals.default;
  if (!Number.isInteger(interval) || interval < 0 || interval > changeIntervals.max)
    throw invalid(`intervalMs must be an integer from 0 to ${changeIntervals.max}`);
  const place = after ? decodeCursor(order, after, [cursorParts.text, cursorParts.bigint]) : undefined;
  const isWanted = (change: RunStatusChange): boolean =>
    (!app || change.app === app) &&
    (!workflow || change.workflow === workflow) &&
    (!statuses?.length || statuses.includes(change.status));
  const latch = new Latch();
  const { log, leave } = statusLogs(ctx).follow(projectId, () => latch.open());
  return new StatusChangesTail({ log, leave, latch, isWanted, interval, place });
}

interface TailOptions {
  log: StatusLog;
  leave: () => void;
  /** Opens when the log has grown. */
  latch: Latch;
  isWanted: (change: RunStatusChange) => boolean;
  interval: number;
  /** The log and the number of a cursor. */
  place: [logId: string, no: number] | undefined;
}

/**
 * Owns: the position of one reader in the log. A slow reader holds nothing: what it missed is read
 * from the log, or else is a gap. No generator, because leaving must also end a wait.
 */
class StatusChangesTail implements AsyncIterableIterator<StatusChanges> {
  readonly #options: TailOptions;
  readonly #rest = new Latch();
  #position: number;
  #isGap: boolean;
  #isFirst = true;
  #isOver = false;
  #restsUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: TailOptions) {
    const { log, place } = options;
    this.#options = options;
    this.#isGap = place !== undefined && !(place[0] === log.id && log.holdsAfter(place[1]));
    this.#position = place && !this.#isGap ? place[1] : log.tip;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<StatusChanges, undefined>> {
    const result = this.#turn.then(() => this.#advance());
    this.#turn = result;
    return result;
  }

  async return(): Promise<IteratorResult<StatusChanges, undefined>> {
    if (!this.#isOver) {
      this.#isOver = true;
      clearTimeout(this.#timer);
      this.#options.leave();
      this.#rest.open();
      this.#options.latch.open();
    }
    return finished;
  }

  async #advance(): Promise<IteratorResult<StatusChanges, undefined>> {
    await this.#waitForInterval();
    while (!this.#isOver) {
      const message = this.#read();
      if (message) return { done: false, value: message };
      await this.#options.latch.wait();
    }
    return finished;
  }

  #read(): StatusChanges | undefined {
    const { log, isWanted, interval } = this.#options;
    const isGap = this.#isGap || !log.holdsAfter(this.#position);
    const from = isGap ? log.tip : this.#position;
    const { changes, upTo } = log.read(from, { isWanted, limit: maxChanges });
    this.#position = upTo;
    if (changes.length === 0 && !isGap && !this.#isFirst) return undefined;
    this.#isFirst = false;
    this.#isGap = false;
    this.#restsUntil = performance.now() + interval;
    return { changes, cursor: encodeCursor(order, [log.id, upTo]), isGap };
  }

  async #waitForInterval(): Promise<void> {
    const ms = this.#restsUntil - performance.now();
    if (ms <= 0 || this.#isOver) return;
    this.#timer = setTimeout(() => this.#rest.open(), ms);
    await this.#rest.wait();
  }
}
