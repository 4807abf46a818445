import type pg from 'pg';
import type { Logger } from 'pino';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { Queryable } from './statement.ts';

/** Something to do once a commit has succeeded: hints to this process, log lines. */
export type Effect = () => void;

/** A place to write, which knows when it commits. */
export interface Transaction extends Queryable {
  /**
   * Calls `effect` once all that was written here is committed, after the effects that were named
   * before. A rollback drops it, and each try after a deadlock begins with none. The process may
   * die between the commit and its effects: polling must find what they would have told.
   */
  afterCommit(effect: Effect): void;
}

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

/**
 * Calls effects in order. The commit stands: an effect that throws is logged, and the next follows.
 */
export function callEffects(effects: readonly Effect[], log: Logger | undefined): void {
  for (const effect of effects) {
    try {
      effect();
    } catch (error) {
      log?.error({ err: error }, 'an effect of a commit failed');
    }
  }
}
