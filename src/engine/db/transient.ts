import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from './statement.ts';

/** The delay after the n-th failure in a row (from 1), in ms: doubles from 50 ms to two seconds. */
export const backoffMs = (failures: number): number => Math.min(50 * 2 ** (failures - 1), 2_000);

/** The database did nothing, and may accept the statement later. */
const refusedStates = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  '57P03', // cannot_connect_now
  '53300', // too_many_connections
  '53100', // disk_full
  '53400', // configuration_limit_exceeded
  '53200', // out_of_memory
  '58030', // io_error
  '57014', // query_canceled
  '25006', // read_only_sql_transaction: of a server that was the primary
  'P2024', // Prisma: no connection in time
]);

/** The connection ends, and the statement may have been executed. */
const lostStates = new Set([
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  '08000',
  '08003',
  '08006',
  '08P01',
  // Prisma: not reachable, reached too late, timed out, closed.
  'P1001',
  'P1002',
  'P1008',
  'P1017',
]);

/**
 * Whether the database may accept the same statement later. After a lost connection it is unknown
 * what was committed.
 */
export const isTransient = (error: unknown): boolean => refusedStates.has(errorCode(error)) || isConnectionLost(error);

/**
 * Whether the connection broke, or could not be made. Then it is unknown whether a lone statement
 * was committed.
 */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = errorCode(error);
  if (lostStates.has(code) || /^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH)/.test(code)) return true;
  return /connection (terminated|ended|timeout)|timeout exceeded when trying to connect|not queryable/i.test(
    error.message,
  );
}

/** PostgreSQL's, Prisma's or Node's code of an error; empty if it has none. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const maxTries = 5;

/** Retries a lone statement, or a transaction, that PostgreSQL aborted because of a deadlock. */
export async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (errorCode(error) !== '40P01' || tries === maxTries) throw error;
    }
  }
}

/**
 * Sends statements with such retries. The engine uses only those overloads of the driver that
 * return a promise.
 */
export const retryingDeadlocks = (target: Queryable): Queryable['query'] =>
  ((...args: unknown[]) => retryDeadlocks(() => Reflect.apply(target.query, target, args))) as Queryable['query'];

/**
 * How long to retry during an outage of the database. After this time, every lease has surely
 * ended.
 */
const outageMs = 60_000;

/**
 * Retries `work` on transient errors for up to a minute, with delays that grow to two seconds.
 * There is at least one retry, since a silent connection can use up the minute. `tries` counts from
 * 0. From 1 on, a former try may have been committed.
 */
export async function retryTransient<T>(work: (tries: number) => Promise<T>): Promise<T> {
  const end = performance.now() + outageMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await work(tries);
    } catch (error) {
      if (!isTransient(error) || (tries > 0 && performance.now() >= end)) throw error;
      await delay(backoffMs(tries + 1));
    }
  }
}
