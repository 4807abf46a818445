import type pg from 'pg';
import type { EngineContext } from './context.ts';
import { errorCode, type ReadQuery, readSet, readSettings } from './db/index.ts';
import { busy } from './errors.ts';
import { Turns } from './turns.ts';

/** The maximum number of waiting reads of one project, per read in progress. */
const waitingPerTurn = 100;

/** The queue in which slow reads wait for their turn. */
export interface LongReads {
  take<T>(work: () => Promise<T>): Promise<T>;
  /** Waits for the read of another caller, and holds no turn meanwhile. */
  join<T>(read: () => Promise<T>): Promise<T>;
}

/**
 * The queue of slow reads. They get half of the pool's connections, so that passes, heartbeats and
 * starts always find one. The last of these is never a single project's.
 */
export const createLongReadTurns = ({ max }: { max: number }, waitMs: number): Turns => {
  const atOnce = Math.max(1, Math.floor(max / 2));
  const refusal = 'too many searches and statistics are in progress: retry';
  return new Turns({ atOnce, maxWaiting: waitingPerTurn * atOnce, waitMs, refusal, perFree: 2 });
};

/**
 * A `plannedRead` that may scan a whole project, so it waits for its turn. Throws `busy` if the
 * queue is full, or the wait takes too long.
 */
export const longRead = <Row extends pg.QueryResultRow>(ctx: EngineContext, query: ReadQuery): Promise<Row[]> =>
  ctx.longReads.take(() => plannedRead<Row>(ctx, query));

/**
 * A read that is planned for its parameter values, unless it has a name. All other statements have
 * one plan for any values. PostgreSQL cancels it after `settings.readTimeoutMs`, and it throws
 * `busy`.
 */
export const plannedRead = <Row extends pg.QueryResultRow>(ctx: EngineContext, query: ReadQuery): Promise<Row[]> =>
  readWith<Row>(ctx, query, { isOrdered: false });

/**
 * A `plannedRead` of a page whose order an index has. It walks indexes and stops at the end of the
 * page. Without the settings, old statistics can make PostgreSQL read and sort all rows.
 */
export const orderedRead = <Row extends pg.QueryResultRow>(ctx: EngineContext, query: ReadQuery): Promise<Row[]> =>
  readWith<Row>(ctx, query, { isOrdered: true });

async function readWith<Row extends pg.QueryResultRow>(
  ctx: EngineContext,
  query: ReadQuery,
  { isOrdered }: { isOrdered: boolean },
): Promise<Row[]> {
  const { readTimeoutMs } = ctx.settings;
  const isPlanned = query.name === undefined;
  const settings = readSettings.part({ timeoutMs: readTimeoutMs, isPlanned, isOrdered });
  try {
    return await readSet<Row>(ctx.db, settings, query);
  } catch (error) {
    if (errorCode(error) !== '57014') throw error;
    throw busy(`the query took longer than ${readTimeoutMs} ms: narrow it, for example by since`);
  }
}
