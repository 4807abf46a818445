import type pg from 'pg';
import { type Queryable, retryingDeadlocks } from '../index.ts';
import { createPool, type PoolOptions } from './pool.ts';

/** After how long without an answer a statement is sent again, over another connection, in ms. */
const againMs = 1_500;

/**
 * How often it is sent at most, and so how many connections there may be: as a rule there is one.
 */
const maxTries = 3;

/** When a connection that says nothing is given up, in ms. Nobody waits for that. */
const answerMs = 20_000;

/**
 * What must not wait for other statements, nor for a connection that was cut off without a word.
 */
export interface Urgent extends Queryable {
  close(): Promise<void>;
}

/**
 * Makes the connections for what is urgent; none before the first statement. One that is not
 * answered soon is sent again over another connection, and the first answer counts: a statement
 * must be such that several at once do no harm.
 */
export function createUrgent(options: PoolOptions): Urgent {
  const pool = createPool({ ...options, max: maxTries, answerMs });
  const send = retryingDeadlocks(pool);
  // The driver's overloads are many; the engine uses those that answer a promise.
  const query = ((...args: unknown[]) =>
    firstAnswer(() => Promise.resolve(Reflect.apply(send, pool, args)))) as pg.Pool['query'];
  return { query, close: () => pool.end() };
}

/**
 * Fails with the last of the tries under way: a database that refuses is not asked again at once.
 */
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
