import type { Database } from '../../src/engine/db/database.ts';

/**
 * The database, in which something happens just before it executes the statement of that name for
 * the first time.
 */
export function beforeStatement(db: Database, name: string, happens: () => Promise<unknown>): Database {
  let isAhead = true;
  const query = async (config: { name?: string }, ...rest: unknown[]): Promise<unknown> => {
    if (isAhead && config.name === name) {
      isAhead = false;
      await happens();
    }
    return Reflect.apply(db.query, db, [config, ...rest]);
  };
  // The driver's overloads are many; the engine uses the one that takes a configuration and answers
  // a promise.
  return { ...db, urgent: undefined, query: query as Database['query'] };
}
