import type pg from 'pg';
import type { EngineContext } from './context.ts';
import { type ReadQuery, readRows } from './db/index.ts';
import { busy } from './errors.ts';
import { Turns } from './turns.ts';

/** Those that wait, for each that reads. */
const waitingPerTurn = 100;

/**
 * The turns of long reads: half of the pool's connections, so that passes, heartbeats and starts
 * find one at any time.
 */
export const createLongReadTurns = ({ max }: { max: number }, waitMs: number): Turns => {
  const atOnce = Math.max(1, Math.floor(max / 2));
  const refusal = 'too many searches and statistics are under way: ask again';
  return new Turns({ atOnce, maxWaiting: waitingPerTurn * atOnce, waitMs, refusal });
};

/**
 * A read that may have to look at everything that a project has: a `plannedRead` that waits for its
 * turn. Throws `busy` also where that does not come soon.
 */
export const longRead = <Row extends pg.QueryResultRow>(ctx: EngineContext, query: ReadQuery): Promise<Row[]> =>
  ctx.longReads.take(() => plannedRead<Row>(ctx, query));

/**
 * A read that is planned for its values, where all other statements have one plan for any, and
 * given up after `settings.readTimeoutMs`: then it throws `busy`. Both hold for its transaction
 * only, so that they work behind a pooler of transactions too.
 */
export async function plannedRead<Row extends pg.QueryResultRow>(ctx: EngineContext, query: ReadQuery): Promise<Row[]> {
  const { readTimeoutMs } = ctx.settings;
  const limits = `set local plan_cache_mode = force_custom_plan; set local statement_timeout = ${readTimeoutMs}`;
  try {
    return await ctx.db.transaction(async (tx) => {
      await tx.query(`set transaction read only; ${limits}`);
      return await readRows<Row>(tx, query);
    });
  } catch (error) {
    if (!isCanceled(error)) throw error;
    throw busy(`this takes longer than ${readTimeoutMs} ms: narrow it down, by since for instance`);
  }
}

const isCanceled = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '57014';
