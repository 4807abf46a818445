import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from '../../../generated/prisma/client.ts';
import {
  callEffects,
  type Database,
  type Effect,
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
 * Long for a process that has only a next statement to send; short for all the others that wait for
 * what it has locked.
 */
const defaultIdleInTransactionMs = 10_000;

export interface DatabaseOptions extends PoolOptions {
  /**
   * After how long between two statements PostgreSQL undoes a transaction and ends its session, in
   * ms; 10 s by default. A process that is stopped, or cut off, would keep its locks for as long as
   * it stays so.
   */
  idleInTransactionMs?: number | undefined;
}

/**
 * Opens the database: one pool, under Prisma and under the prepared statements. It connects with
 * the first query and expects a migrated schema. `close()` ends both; a client that was never
 * released makes it wait.
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
    afterCommit: (effect) => callEffects([effect], options.log),
    close: () => {
      closing ??= prisma.$disconnect().then(async () => void (await Promise.all([pool.end(), urgent.close()])));
      return closing;
    },
  };
}

/**
 * Prisma's statements get a name each, so that PostgreSQL keeps their plans: a quarter less work
 * for it.
 */
function nameStatements(): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    // Every name holds memory in every connection: past a bound, statements go unnamed.
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
  effects: readonly Effect[];
}

async function runTransaction<T>(
  { pool, idleMs }: Transacting,
  work: (tx: Transaction) => Promise<T>,
): Promise<Committed<T>> {
  const effects: Effect[] = [];
  const client = await pool.connect();
  let lost: Error | undefined;
  const noteLoss = (error: Error): void => {
    lost ??= error;
  };
  client.on('error', noteLoss);
  let broken: Error | undefined;
  try {
    // One round trip for both. What holds for the session would not reach every session behind a
    // pooler.
    await client.query(`begin; set local idle_in_transaction_session_timeout = ${idleMs}`);
    const result = await work(transactionOn(client, effects));
    await failPoint('transaction:before');
    await client.query('commit');
    await failPoint('transaction:after');
    return { result, effects };
  } catch (error) {
    broken = await rollBack(client);
    // The driver says of every later statement only that it has no connection any more; this is
    // why.
    throw lost && isTransient(error) ? lost : error;
  } finally {
    client.off('error', noteLoss);
    client.release(broken);
  }
}

const transactionOn = (client: pg.PoolClient, effects: Effect[]): Transaction => ({
  // The driver's overloads are many; the engine uses those that answer a promise.
  query: ((...args: unknown[]) => Reflect.apply(client.query, client, args)) as Queryable['query'],
  afterCommit: (effect) => void effects.push(effect),
});

/** Leaves the client clean; where that fails, the reason why it must not go back to the pool. */
async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
