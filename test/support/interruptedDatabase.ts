import type { Database } from '../../src/engine/db/database.ts';

/**
 * Wraps a database so that `happens` runs just before the first execution of the named statement.
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
  // The engine uses only the driver's overload with a configuration and a promise.
  return { ...db, urgent: undefined, query: query as Database['query'] };
}
