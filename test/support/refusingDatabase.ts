import type { Database } from '../../src/engine/db/database.ts';

/** The database, which once gives up the statement of that name, as it does with one of two that wait for each other. */
export function refusingOnce(db: Database, name: string): Database {
  let isLeft = true;
  const query = (config: { name?: string }, ...rest: unknown[]): unknown => {
    if (!isLeft || config.name !== name) return Reflect.apply(db.query, db, [config, ...rest]);
    isLeft = false;
    return Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01' }));
  };
  // The driver's overloads are many; the engine uses the one that takes a configuration and answers a promise.
  return { ...db, query: query as Database['query'] };
}
