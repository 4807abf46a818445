import pg from 'pg';
import type { Logger } from 'pino';
import { defaultAnswerMs, endWhenSilent, keepAliveMs, statementMs } from '../index.ts';
import { shortenPrepared } from './preparedQueries.ts';

/** PostgreSQL's type numbers that we read otherwise than the driver does. */
const oids: Record<'int8' | 'json' | 'jsonArray' | 'textArray' | 'int8Array', number> = {
  int8: 20,
  json: 114,
  jsonArray: 199,
  textArray: 1009,
  int8Array: 1016,
};

const parseInt8 = (text: string): number => Number(text);
const parseTextArray = pg.types.getTypeParser(oids.textArray);
const parseInt8Array = (text: string): (number | null)[] =>
  parseTextArray(text).map((item: string | null) => (item === null ? null : parseInt8(item)));

/**
 * How columns arrive from raw statements: `int8` as a number (our counters stay below 2^53), `json`
 * as the text that was stored, so that no payload is re-encoded on its way through. The rest is the
 * driver's: `timestamptz` a Date, `jsonb` parsed, `numeric` a string. Prisma brings its own parsers
 * and is not affected.
 */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (format === 'binary') return pg.types.getTypeParser(oid, 'binary');
    if (oid === oids.json) return (text: string) => text;
    if (oid === oids.int8) return parseInt8;
    if (oid === oids.int8Array) return parseInt8Array;
    if (oid === oids.jsonArray) return parseTextArray;
    return pg.types.getTypeParser(oid, 'text');
  },
};

export interface PoolOptions {
  url: string;
  log?: Logger | undefined;
  /** Connections at most; 10 by default, so that a few processes fit PostgreSQL's usual hundred. */
  max?: number | undefined;
  /** How the sessions introduce themselves in `pg_stat_activity`. */
  applicationName?: string | undefined;
  /**
   * After how long without a word a connection is given up that has a statement to answer, in ms; a
   * minute by default. The server gives a statement up a little earlier. 0: never.
   */
  answerMs?: number | undefined;
}

/**
 * Makes the connection pool of a process. A connection that breaks is logged and replaced; it never
 * ends the process, not even when it breaks between two statements of a transaction.
 */
export function createPool(options: PoolOptions): pg.Pool {
  const { url, log, max = 10, applicationName = 'holdfast', answerMs = defaultAnswerMs } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    connectionTimeoutMillis: 10_000,
    // A new connection costs a log-in and the plans of all statements: one that idles is kept for a
    // while.
    idleTimeoutMillis: 300_000,
    application_name: applicationName,
    onConnect: async (client) => {
      endWhenSilent(client, answerMs);
      await prepareSession(client, answerMs);
    },
  });
  pool.on('error', (error) => log?.warn({ err: error }, 'database connection lost'));
  // The pool listens to idle clients only. One that is checked out and breaks would otherwise throw
  // out of the socket.
  pool.on('connect', (client) => {
    client.on('error', (error) => log?.debug({ err: error }, 'database client failed'));
    shortenPrepared(client, types);
  });
  return pool;
}

/**
 * A plan made once serves all: parameters are arrays of whatever length, and planning a large
 * statement costs more than executing it. Left to itself, PostgreSQL plans the claim anew each time
 * (half a millisecond, measured).
 *
 * So a plan must be good for tables that have grown since. One that was made while a table was all
 * but empty scans it, until autovacuum comes by: no scan where an index can do.
 *
 * Both hold for statements without a name, too. What must be planned for its values goes through
 * `plannedRead`.
 */
async function prepareSession(client: pg.ClientBase, answerMs: number): Promise<void> {
  const limit = `set statement_timeout = ${statementMs(answerMs)}`;
  await client.query(`set plan_cache_mode = force_generic_plan; set enable_seqscan = off; ${limit}`);
}
