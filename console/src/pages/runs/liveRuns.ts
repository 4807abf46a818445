import { Coalescer } from '../../data/coalescer.ts';
import { Soon, type SoonOptions } from '../../data/soon.ts';
import { isFinal } from '../../design/index.ts';

/** A change of status, as the subscription sends it. */
export interface StatusChange {
  status: string;
  ts: string;
}

/** A change with the time at which this tab heard of it, by its own clock, in ms. */
export interface HeardChange extends StatusChange {
  heardAt: number;
}

/** The fields of a row that a change of status touches. */
export interface LiveRow {
  id: string;
  status: string;
  startedAt?: string | null;
  endedAt?: string | null;
  durationMs?: number | null;
}

/**
 * The row after a change. The next read of the list has the exact times. A row that was asked for
 * after the change was heard of is newer: later changes may have been missed in a gap.
 */
export function patched<Row extends LiveRow>(row: Row, change: HeardChange | undefined, askedAt: number): Row {
  if (!change || change.heardAt < askedAt || change.status === row.status || isFinal(row.status)) return row;
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
  /** Reads the first page again; after a gap, also the pages that are on screen. */
  read: (isAfterGap: boolean) => Promise<unknown>;
  later?: SoonOptions['later'];
  coalesce?: (
    apply: (changes: ReadonlyMap<string, HeardChange>) => void,
  ) => Pick<Coalescer<HeardChange>, 'add' | 'stop'>;
  now?: () => number;
}

/** At most so many changes are kept; older ones are in the rows by then. */
const maxKept = 2_000;

/**
 * The changes of status since the list was read, by run. Changes of shown rows show in place. Any
 * change reads the first page again, at most every two seconds.
 */
export class LiveRuns {
  #changes: ReadonlyMap<string, HeardChange> = new Map();
  readonly #listeners = new Set<() => void>();
  readonly #coalescer: Pick<Coalescer<HeardChange>, 'add' | 'stop'>;
  readonly #read: (isAfterGap: boolean) => Promise<unknown>;
  readonly #soon: Soon;
  readonly #now: () => number;
  /** Changes may have been missed since the last read. */
  #hasGap = false;

  constructor({ read, later, coalesce = (apply) => new Coalescer({ apply }), now = Date.now }: LiveRunsOptions) {
    this.#read = read;
    this.#soon = new Soon({ run: () => this.#readNow(), later });
    this.#now = now;
    this.#coalescer = coalesce((changes) => this.#apply(changes));
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly changes = (): ReadonlyMap<string, HeardChange> => this.#changes;

  add(runId: string, change: StatusChange): void {
    this.#coalescer.add(runId, { ...change, heardAt: this.#now() });
  }

  /** Changes may have been missed: reads what is on screen soon, and again if that fails. */
  noteGap(): void {
    this.#hasGap = true;
    this.#soon.ask();
  }

  #readNow(): Promise<unknown> {
    const hasGap = this.#hasGap;
    this.#hasGap = false;
    const reading = this.#read(hasGap);
    reading.catch(() => {
      this.#hasGap ||= hasGap;
    });
    return reading;
  }

  /** Forgets all changes: the list was read anew. */
  clear(): void {
    this.#coalescer.stop();
    this.#set(new Map());
  }

  /** Begins again after a `stop`: React may mount a page twice. */
  start(): void {
    this.#soon.start();
  }

  stop(): void {
    this.#coalescer.stop();
    this.#soon.stop();
  }

  #apply(changes: ReadonlyMap<string, HeardChange>): void {
    const all = [...this.#changes, ...changes];
    this.#set(new Map(all.slice(-maxKept)));
    this.#soon.ask();
  }

  #set(changes: ReadonlyMap<string, HeardChange>): void {
    this.#changes = changes;
    for (const each of this.#listeners) each();
  }
}

/** The rows of the pages, renewed by rows that were read later. Their order stays. */
export function renewed<Row extends LiveRow>(rows: readonly Row[], later: readonly Row[] | undefined): Row[] {
  const fresh = new Map(later?.map((row) => [row.id, row]));
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    if (seen.has(row.id)) return [];
    seen.add(row.id);
    return [fresh.get(row.id) ?? row];
  });
}

/** The indexes of the pages that hold some of the runs. */
export const pagesWith = (pages: readonly (readonly { id: string }[])[], ids: ReadonlySet<string>): number[] =>
  pages.flatMap((rows, index) => (rows.some(({ id }) => ids.has(id)) ? [index] : []));

/** The number of rows of the head that the list lacks. */
export function countNew(rows: readonly LiveRow[], head: readonly LiveRow[] | undefined): number {
  if (!head) return 0;
  const known = new Set(rows.map(({ id }) => id));
  return head.filter(({ id }) => !known.has(id)).length;
}
