import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from '../../generated/prisma/client.ts';
import type { Database } from './database.ts';
import { failPoint } from './failPoints.ts';
import { createPool, type PoolOptions } from './pool.ts';
import type { Queryable } from './statement.ts';

/**
 * Opens the database: one pool, under Prisma and under the prepared statements. It connects with the first query and
 * expects a migrated schema. `close()` ends both; a client that was never released makes it wait.
 */
export async function openDatabase(options: PoolOptions): Promise<Database> {
  const pool = createPool(options);
  const adapter = new PrismaPg(pool, { statementNameGenerator: nameStatements() });
  const prisma = new PrismaClient({ adapter });
  let closing: Promise<void> | undefined;
  return {
    pool,
    prisma,
    query: pool.query.bind(pool),
    transaction: (work) => runTransaction(pool, work),
    close: () => {
      closing ??= prisma.$disconnect().then(() => pool.end());
      return closing;
    },
  };
}

/** Prisma's statements get a name each, so that PostgreSQL keeps their plans: a quarter less work for it. */
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

async function runTransaction<T>(pool: pg.Pool, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await failPoint('transaction:before');
    await client.query('commit');
    await failPoint('transaction:after');
    return result;
  } catch (error) {
    broken = await rollBack(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Leaves the client clean; where that fails, the reason why it must not go back to the pool. */
async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
