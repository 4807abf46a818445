import type pg from 'pg';
import type { EngineContext } from './context.ts';
import { busy } from './errors.ts';
import { Turns } from './turns.ts';

export interface LongReadQuery {
  text: string;
  values: unknown[];
}

/** Those that wait, for each that reads. */
const waitingPerTurn = 10;

/** The turns of long reads: half of the pool's connections, so that passes, heartbeats and starts find one at any time. */
export const createLongReadTurns = ({ max }: { max: number }, waitMs: number): Turns => {
  const atOnce = Math.max(1, Math.floor(max / 2));
  const refusal = 'too many searches and statistics are under way: ask again';
  return new Turns({ atOnce, maxWaiting: waitingPerTurn * atOnce, waitMs, refusal });
};

/**
 * A read that may have to look at everything that a project has: it waits for its turn, and is given up after
 * `settings.readTimeoutMs`. The limit holds for its transaction only, so that it works behind a pooler of transactions too.
 * Throws `busy` in both cases.
 */
export function longRead<Row extends pg.QueryResultRow>(ctx: EngineContext, query: LongReadQuery): Promise<Row[]> {
  const { readTimeoutMs } = ctx.settings;
  return ctx.longReads.take(async () => {
    try {
      return await ctx.db.transaction(async (tx) => {
        await tx.query(`set transaction read only; set local statement_timeout = ${readTimeoutMs}`);
        return (await tx.query<Row>(query)).rows;
      });
    } catch (error) {
      if (!isCanceled(error)) throw error;
      throw busy(`this takes longer than ${readTimeoutMs} ms: narrow it down, by since for instance`);
    }
  });
}

const isCanceled = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '57014';
