import type { Database } from './database.ts';
import { statement } from './statement.ts';

/** The advisory lock of what a service prepares at its start; the number beside that of migrations. */
const lockKey = 72707370;

/** The transaction idles while the work goes on beside it; one whose process has stopped lets others start after a minute. */
const takeStartupLock = statement<undefined, Record<string, never>>({
  name: 'takeStartupLock',
  writes: false,
  text: `
    select from pg_advisory_xact_lock($1::bigint), set_config('idle_in_transaction_session_timeout', '60000', true)`,
  values: () => [lockKey],
});

/** Runs `work` while no other process on this database runs its own: for what is made once, at the first start. */
export const withStartupLock = <T>(db: Database, work: () => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await takeStartupLock(tx, undefined);
    return work();
  });
