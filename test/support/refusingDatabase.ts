import type { Database } from '../../src/engine/db/database.ts';
import { beforeStatement } from './interruptedDatabase.ts';

/**
 * The database, which once gives up the statement of that name, as it does with one of two that
 * wait for each other.
 */
export const refusingOnce = (db: Database, name: string): Database =>
  beforeStatement(db, name, () => Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01' })));
