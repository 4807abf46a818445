import { setTimeout as delay } from 'node:timers/promises';
import { type Database, statement } from '../index.ts';

/**
 * The advisory lock of what a service prepares at its start; the number beside that of migrations.
 */
const lockKey = 72707370;

/**
 * The transaction idles while the work goes on beside it; one whose process has stopped lets others
 * start after a minute.
 */
const takeStartupLock = statement<{ isTaken: boolean }>('takeStartupLock').reads({
  text: `
    select is_taken from pg_try_advisory_xact_lock(${lockKey}::bigint) is_taken,
      set_config('idle_in_transaction_session_timeout', '60000', true)`,
});

/**
 * Runs `work` while no other process on this database runs its own: for what is made once, at the
 * first start.
 */
export const withStartupLock = <T>(db: Database, work: () => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    // Not waited for in the database: a statement may not take as long as another start does.
    while (!(await takeStartupLock(tx, undefined))[0]?.isTaken) await delay(100);
    return work();
  });
