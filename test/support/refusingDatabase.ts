import type { Database } from '../../src/engine/db/database.ts';
import { beforeStatement } from './interruptedDatabase.ts';

/** Wraps a database that aborts the named statement once, as in a deadlock. */
export const refusingOnce = (db: Database, name: string): Database =>
  beforeStatement(db, name, () => Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01' })));
