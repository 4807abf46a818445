import type pg from 'pg';
import { type Queryable, retryingDeadlocks } from '../index.ts';
import { createPool, type PoolOptions } from './pool.ts';

/**
 * How long to wait for an answer before the statement is sent again over another connection, in ms.
 */
const againMs = 1_500;

/**
 * How often a statement is sent, and so the maximum number of connections. Usually there is one.
 */
const maxTries = 3;

/** When a silent connection is dropped, in ms. No caller waits for that. */
const answerMs = 20_000;

/** Connections for statements that must not wait for others, nor for a silent connection. */
export interface Urgent extends Queryable {
  close(): Promise<void>;
}

/**
 * Makes the urgent connections, none before the first statement. A statement without a timely
 * answer is sent again over another connection, and the first answer counts. So such a statement
 * must be harmless if executed several times at once.
 */
export function createUrgent(options: PoolOptions): Urgent {
  const pool = createPool({ ...options, max: maxTries, answerMs });
  const send = retryingDeadlocks(pool);
  // The engine uses only those overloads of the driver that return a promise.
  const query = ((...args: unknown[]) =>
    firstAnswer(() => Promise.resolve(Reflect.apply(send, pool, args)))) as pg.Pool['query'];
  return { query, close: () => pool.end() };
}

/** Fails only when all attempts in progress have failed. An error is not retried at once. */
function firstAnswer(send: () => Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let [tries, underWay] = [0, 0];
    const attempt = (): void => {
      tries += 1;
      underWay += 1;
      if (tries < maxTries) timer = setTimeout(attempt, againMs);
      send().then(
        (answer) => {
          clearTimeout(timer);
          resolve(answer);
        },
        (error: unknown) => {
          underWay -= 1;
          if (underWay > 0) return;
          clearTimeout(timer);
          reject(error);
        },
      );
    };
    attempt();
  });
}
