import pg from 'pg';
import type { Logger } from 'pino';
import { defaultAnswerMs, endWhenSilent, keepAliveMs, statementMs } from '../index.ts';
import { columnTypes } from './columnTypes.ts';
import { shortenPrepared } from './preparedQueries.ts';

export interface PoolOptions {
  url: string;
  log?: Logger | undefined;
  /**
   * The maximum number of connections; default 10, so that a few processes fit PostgreSQL's usual
   * hundred.
   */
  max?: number | undefined;
  /** The name of the sessions in `pg_stat_activity`. */
  applicationName?: string | undefined;
  /**
   * How long a connection may stay silent while it owes an answer, in ms; default a minute; 0 for
   * ever. The server cancels the statement a little earlier.
   */
  answerMs?: number | undefined;
}

/**
 * Makes the connection pool of a process. A broken connection is logged and replaced, and never
 * ends the process, not even between two statements of a transaction.
 */
export function createPool(options: PoolOptions): pg.Pool {
  const { url, log, max = 10, applicationName = 'holdfast', answerMs = defaultAnswerMs } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types: columnTypes,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    connectionTimeoutMillis: 10_000,
    // A new connection costs a log-in and the plans of all statements, so idle ones are kept for a
    // while.
    idleTimeoutMillis: 300_000,
    application_name: applicationName,
    onConnect: async (client) => {
      endWhenSilent(client, answerMs);
      await prepareSession(client, answerMs);
    },
  });
  pool.on('error', (error) => log?.warn({ err: error }, 'database connection lost'));
  // The pool listens only to idle clients. Without a listener, an error of a client in use would
  // end the process.
  pool.on('connect', (client) => {
    client.on('error', (error) => log?.debug({ err: error }, 'database client failed'));
    shortenPrepared(client, columnTypes);
  });
  return pool;
}

/**
 * Makes one plan per statement for all values. Parameters are arrays of any length, and planning a
 * large statement costs more than executing it. By default, PostgreSQL plans the claim each time
 * (half a millisecond, measured).
 *
 * So a plan must stay good when tables grow. A plan made while a table is nearly empty would scan
 * it until autovacuum comes. So no sequential scan if an index can serve. The remaining sequential
 * scans count as expensive, so PostgreSQL would compile each one (JIT, 90 ms): that is off.
 *
 * These settings hold for unnamed statements too. A statement that needs a plan for its values goes
 * through `plannedRead`.
 */
async function prepareSession(client: pg.ClientBase, answerMs: number): Promise<void> {
  const limit = `set statement_timeout = ${statementMs(answerMs)}`;
  await client.query(`set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set jit = off; ${limit}`);
}
