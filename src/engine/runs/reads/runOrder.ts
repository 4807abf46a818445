import { type CursorValue, cursorParts, decodeCursor, encodeCursor, optionalPart } from '../../paging/index.ts';
import { durationMs, type RunRow } from './runRow.ts';

export const runSorts = ['started', 'workflow', 'status', 'app', 'duration'] as const;
export type RunSort = (typeof runSorts)[number];

export const sortDirections = ['asc', 'desc'] as const;
export type SortDirection = (typeof sortDirections)[number];

/** The order of a list of runs (4.4). */
export interface RunOrder {
  sort: RunSort;
  dir: SortDirection;
}

/**
 * The start of a page: after the run `id` from `createdAt`, among those with the same `key`. The
 * key is the workflow, status or app that the list is sorted by, or the duration in ms; null for an
 * unfinished run.
 */
export interface RunPosition {
  key: CursorValue | null;
  createdAt: Date;
  id: string;
}

const orderName = ({ sort, dir }: RunOrder): string => `runs.${sort}.${dir}`;

/** The cursor after a run in this order. */
export function runCursor(order: RunOrder, run: RunRow): string {
  return encodeCursor(orderName(order), [run.id, run.createdAt.getTime(), ...keyOf(order.sort, run)]);
}

const { id, instant, text, bigint } = cursorParts;
const grouped = [id, instant, text] as const;
const shapes = {
  started: [id, instant],
  workflow: grouped,
  status: grouped,
  app: grouped,
  duration: [id, instant, optionalPart(bigint)],
} as const;

/** Reads a cursor. Throws `invalid` unless it was issued for this order. */
export function readRunCursor(order: RunOrder, cursor: string): RunPosition {
  const [runId, createdAt, key = null] = decodeCursor(orderName(order), cursor, shapes[order.sort]);
  return { id: runId, createdAt: new Date(createdAt), key };
}

function keyOf(sort: RunSort, run: RunRow): CursorValue[] {
  if (sort === 'started') return [];
  if (sort !== 'duration') return [run[sort]];
  const duration = durationMs(run);
  return duration === null ? [] : [duration];
}
