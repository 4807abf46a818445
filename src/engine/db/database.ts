import type pg from 'pg';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { Queryable } from './statement.ts';

/** One pool per process, under Prisma and under the prepared statements alike. */
export interface Database extends Queryable {
  pool: pg.Pool;
  prisma: PrismaClient;
  /** Runs `work` in one transaction: commits what it returns from, rolls back what it throws out of. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Ends Prisma and the pool. */
  close(): Promise<void>;
}
