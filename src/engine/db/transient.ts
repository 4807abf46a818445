import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from './statement.ts';

/**
 * The pause after the n-th failure in a row (from 1), in ms: it doubles from 50 ms to two seconds.
 */
export const backoffMs = (failures: number): number => Math.min(50 * 2 ** (failures - 1), 2_000);

/** The database says that it did nothing, and may well do it later. */
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
]);

/** It ends the connection, whatever it may have done before. */
const lostStates = new Set([
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  '08000',
  '08003',
  '08006',
  '08P01',
]);

/**
 * Whether the database may well accept the same statement later. Of a lost connection it is unknown
 * what was committed.
 */
export const isTransient = (error: unknown): boolean => refusedStates.has(codeOf(error)) || isConnectionLost(error);

/**
 * Whether the connection broke, or there was none: then it is unknown whether a lone statement was
 * committed.
 */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  if (lostStates.has(code) || /^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH)/.test(code)) return true;
  return /connection (terminated|ended|timeout)|timeout exceeded when trying to connect|not queryable/i.test(
    error.message,
  );
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const maxTries = 5;

/**
 * Repeats a lone statement, or a transaction, that was given up and undone so that another could go
 * on.
 */
export async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== '40P01' || tries === maxTries) throw error;
    }
  }
}

/**
 * A way to send statements that does the same for each. The driver's overloads are many; the engine
 * uses those that answer a promise.
 */
export const retryingDeadlocks = (target: Queryable): Queryable['query'] =>
  ((...args: unknown[]) => retryDeadlocks(() => Reflect.apply(target.query, target, args))) as Queryable['query'];

/**
 * For how long the database may be away before a result is given up, or left to recovery. Beyond it
 * a lease is surely gone.
 */
const outageMs = 60_000;

/**
 * Repeats `work` while it fails for passing reasons, with pauses that grow to two seconds, for a
 * minute at most; but once at least, for a connection that fell silent may take all of it. `tries`
 * counts from 0: after the first, a former try may have been committed all the same.
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
