import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from '../../../generated/prisma/client.ts';
import {
  type CommitEffect,
  callEffects,
  type Database,
  failPoint,
  isTransient,
  type Queryable,
  retryDeadlocks,
  retryingDeadlocks,
  type Transaction,
} from '../index.ts';
import { createPool, type PoolOptions } from './pool.ts';
import { createUrgent } from './urgent.ts';

/**
 * Long for a process that only has to send its next statement, short for those that wait for its
 * locks.
 */
const defaultIdleInTransactionMs = 10_000;

export interface DatabaseOptions extends PoolOptions {
  /**
   * How long a transaction may idle between two statements before PostgreSQL rolls it back and ends
   * its session, in ms; default 10 s. Otherwise a frozen process would keep its locks.
   */
  idleInTransactionMs?: number | undefined;
}

/**
 * Opens the database with one pool for Prisma and the prepared statements. The first query
 * connects, and expects a migrated schema. `close()` waits for clients that are in use.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const pool = createPool(options);
  const urgent = createUrgent(options);
  const idleMs = options.idleInTransactionMs ?? defaultIdleInTransactionMs;
  const adapter = new PrismaPg(pool, { statementNameGenerator: nameStatements() });
  const prisma = new PrismaClient({ adapter });
  let closing: Promise<void> | undefined;
  return {
    pool,
    prisma,
    urgent,
    query: retryingDeadlocks(pool),
    transaction: async (work) => {
      const { result, effects } = await retryDeadlocks(() => runTransaction({ pool, idleMs }, work));
      callEffects(effects, options.log);
      return result;
    },
    reading: (read) => read(),
    afterCommit: (effect) => callEffects([effect], options.log),
    close: () => {
      closing ??= prisma.$disconnect().then(async () => void (await Promise.all([pool.end(), urgent.close()])));
      return closing;
    },
  };
}

/**
 * Names Prisma's statements, so that PostgreSQL keeps their plans, which saves a quarter of its
 * work.
 */
function nameStatements(): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    // Each name costs memory in each connection, so there is a bound. Further statements go
    // unnamed.
    const name = names.size < 500 ? `p_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}` : '';
    if (name) names.set(sql, name);
    return name;
  };
}

interface Transacting {
  pool: pg.Pool;
  idleMs: number;
}

interface Committed<T> {
  result: T;
  effects: readonly CommitEffect[];
}

async function runTransaction<T>(
  { pool, idleMs }: Transacting,
  work: (tx: Transaction) => Promise<T>,
): Promise<Committed<T>> {
  const effects: CommitEffect[] = [];
  const client = await pool.connect();
  let lost: Error | undefined;
  const noteLoss = (error: Error): void => {
    lost ??= error;
  };
  client.on('error', noteLoss);
  let broken: Error | undefined;
  try {
    // A single round trip. A session setting would miss other sessions behind a pooler.
    await client.query(`begin; set local idle_in_transaction_session_timeout = ${idleMs}`);
    const result = await work(transactionOn(client, effects));
    await failPoint('transaction:before');
    await client.query('commit');
    await failPoint('transaction:after');
    return { result, effects };
  } catch (error) {
    broken = await rollBack(client);
    // Later errors of the driver only say that there is no connection. This is the cause.
    throw lost && isTransient(error) ? lost : error;
  } finally {
    client.off('error', noteLoss);
    client.release(broken);
  }
}

const transactionOn = (client: pg.PoolClient, effects: CommitEffect[]): Transaction => ({
  // The engine uses only those overloads of the driver that return a promise.
  query: ((...args: unknown[]) => Reflect.apply(client.query, client, args)) as Queryable['query'],
  afterCommit: (effect) => void effects.push(effect),
});

/** Rolls back. If that fails, returns the reason why the client must not return to the pool. */
async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
