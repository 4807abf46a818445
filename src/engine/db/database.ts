import type pg from 'pg';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { Queryable } from './statement.ts';
import type { Effect, Transaction } from './transaction.ts';

/**
 * One pool per process, under Prisma and under the prepared statements alike. A statement, or a
 * transaction, that PostgreSQL gave up and undid so that another could go on is tried again: locks
 * are taken in one order, but a run that is displaced may be displacing another, and whoever waits
 * for either of the two stands in their circle.
 */
export interface Database extends Transaction {
  pool: pg.Pool;
  prisma: PrismaClient;
  /**
   * Runs `work` in one transaction: commits what it returns from, rolls back what it throws out of.
   * It may be called several times: what it notes outside of the transaction, it must begin anew.
   * It names by `afterCommit` what follows from the commit.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** A lone statement is committed once it is answered: calls `effect` at once. */
  afterCommit(effect: Effect): void;
  /**
   * Beside the pool, for what must not wait for it: the heartbeat. What has no such connections
   * uses the pool.
   */
  urgent?: Queryable | undefined;
  /** Ends Prisma and the pool. */
  close(): Promise<void>;
}
