import { Coalescer } from '../../data/coalescer.ts';
import { isFinal } from '../../design/index.ts';

/** A change of status, as the subscription sends it. */
export interface StatusChange {
  status: string;
  ts: string;
}

/** The fields of a row that a change of status touches. */
export interface LiveRow {
  id: string;
  status: string;
  startedAt?: string | null;
  endedAt?: string | null;
  durationMs?: number | null;
}

/** The row after a change. The next read of the list has the exact times. */
export function patched<Row extends LiveRow>(row: Row, change: StatusChange | undefined): Row {
  if (!change || change.status === row.status || isFinal(row.status)) return row;
  const startedAt = row.startedAt ?? (change.status === 'RUNNING' ? change.ts : null);
  const hasEnded = isFinal(change.status);
  return {
    ...row,
    status: change.status,
    startedAt,
    endedAt: hasEnded ? change.ts : null,
    durationMs: hasEnded && startedAt ? Date.parse(change.ts) - Date.parse(startedAt) : null,
  };
}

interface LiveRunsOptions {
  /** Reads the first page again. */
  readHead: () => void;
  /** The shortest time between two reads, in ms. */
  headEveryMs?: number;
  later?: (run: () => void, delayMs: number) => () => void;
  coalesce?: (
    apply: (changes: ReadonlyMap<string, StatusChange>) => void,
  ) => Pick<Coalescer<StatusChange>, 'add' | 'stop'>;
}

const afterTimeout = (run: () => void, delayMs: number): (() => void) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};

/** At most so many changes are kept; older ones are in the rows by then. */
const maxKept = 2_000;

/**
 * The changes of status since the list was read, by run. Changes of shown rows show in place. Any
 * change reads the first page again, at most every two seconds.
 */
export class LiveRuns {
  #changes: ReadonlyMap<string, StatusChange> = new Map();
  readonly #listeners = new Set<() => void>();
  readonly #coalescer: Pick<Coalescer<StatusChange>, 'add' | 'stop'>;
  readonly #readHead: () => void;
  readonly #headEveryMs: number;
  readonly #later: (run: () => void, delayMs: number) => () => void;
  #cancelRead: (() => void) | undefined;

  constructor({
    readHead,
    headEveryMs = 2_000,
    later = afterTimeout,
    coalesce = (apply) => new Coalescer({ apply }),
  }: LiveRunsOptions) {
    this.#readHead = readHead;
    this.#headEveryMs = headEveryMs;
    this.#later = later;
    this.#coalescer = coalesce((changes) => this.#apply(changes));
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly changes = (): ReadonlyMap<string, StatusChange> => this.#changes;

  add(runId: string, change: StatusChange): void {
    this.#coalescer.add(runId, change);
  }

  /** Changes may have been missed: reads the first page soon. */
  noteGap(): void {
    this.#cancelRead ??= this.#later(() => {
      this.#cancelRead = undefined;
      this.#readHead();
    }, this.#headEveryMs);
  }

  /** Forgets all changes: the list was read anew. */
  clear(): void {
    this.#coalescer.stop();
    this.#set(new Map());
  }

  stop(): void {
    this.#coalescer.stop();
    this.#cancelRead?.();
    this.#cancelRead = undefined;
  }

  #apply(changes: ReadonlyMap<string, StatusChange>): void {
    const all = [...this.#changes, ...changes];
    this.#set(new Map(all.slice(-maxKept)));
    this.noteGap();
  }

  #set(changes: ReadonlyMap<string, StatusChange>): void {
    this.#changes = changes;
    for (const each of this.#listeners) each();
  }
}

/** The rows of the pages, renewed by the first page as last read. Their order stays. */
export function renewed<Row extends LiveRow>(rows: readonly Row[], head: readonly Row[] | undefined): Row[] {
  const fresh = new Map(head?.map((row) => [row.id, row]));
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    if (seen.has(row.id)) return [];
    seen.add(row.id);
    return [fresh.get(row.id) ?? row];
  });
}

/** The number of rows of the head that the list lacks. */
export function countNew(rows: readonly LiveRow[], head: readonly LiveRow[] | undefined): number {
  if (!head) return 0;
  const known = new Set(rows.map(({ id }) => id));
  return head.filter(({ id }) => !known.has(id)).length;
}
