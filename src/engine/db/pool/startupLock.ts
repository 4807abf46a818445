import { setTimeout as delay } from 'node:timers/promises';
import { type Database, statement } from '../index.ts';

/** The advisory lock of a service's preparations. The next number is that of migrations. */
const lockKey = 72707370;

/**
 * The transaction idles while the work runs. If its process freezes, others can start after a
 * minute.
 */
const takeStartupLock = statement<{ isTaken: boolean }>('takeStartupLock').reads({
  text: `
    select is_taken from pg_try_advisory_xact_lock(${lockKey}::bigint) is_taken,
      set_config('idle_in_transaction_session_timeout', '60000', true)`,
});

/**
 * Runs `work` while no other process on this database runs its own. For preparations of the first
 * start.
 */
export const withStartupLock = <T>(db: Database, work: () => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    // Polls, because a waiting statement would exceed the time limit before another start ends.
    while (!(await takeStartupLock(tx, undefined))[0]?.isTaken) await delay(100);
    return work();
  });
