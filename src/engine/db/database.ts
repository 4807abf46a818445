import type pg from 'pg';
import type { Logger } from 'pino';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { Queryable } from './statement.ts';

/** Something to do after a commit: a hint to this process, a log line. */
export type CommitEffect = () => void;

/** A connection that knows when its writes are committed. */
export interface Transaction extends Queryable {
  /**
   * Calls `effect` after the commit, in the order of the calls. A rollback drops it. A retry after
   * a deadlock starts with no effects. The process may die between commit and effect, so polling
   * must find the same.
   */
  afterCommit(effect: CommitEffect): void;
}

/**
 * The database of one process. Prisma and the prepared statements share its pool. A statement or
 * transaction that PostgreSQL aborts in a deadlock is retried. Locks are taken in one order, yet
 * deadlocks happen: a start can cancel a run that is itself about to cancel a run.
 */
export interface Database extends Transaction {
  pool: pg.Pool;
  prisma: PrismaClient;
  /**
   * Runs `work` in one transaction: commits when it returns, rolls back when it throws. A retry
   * calls `work` again, so it must reset what it keeps outside. `afterCommit` takes the effects of
   * the commit.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Runs reads through `prisma`, which takes connections by itself, within the caller's share. */
  reading<T>(read: () => Promise<T>): Promise<T>;
  /** Calls `effect` at once: a lone statement is committed when it is answered. */
  afterCommit(effect: CommitEffect): void;
  /**
   * Connections beside the pool, for the heartbeat, which must not wait. If there are none, it uses
   * the pool.
   */
  urgent?: Queryable | undefined;
  close(): Promise<void>;
}

/** Calls effects in order. The commit stands: an error is logged, and the next effect follows. */
export function callEffects(effects: readonly CommitEffect[], log: Logger | undefined): void {
  for (const effect of effects) {
    try {
      effect();
    } catch (error) {
      log?.error({ err: error }, 'an effect of a commit failed');
    }
  }
}
