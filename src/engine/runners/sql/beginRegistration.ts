import { instant, statement, text } from '../../db/index.ts';

/** The class of the advisory lock, which no other part of the service uses. */
const lockClass = 0x52454749;

/**
 * Begins a transaction that registers runners: one at a time for a project (R1). The lock is not
 * the project's row, which starts of runs read: that row is locked last and briefly. Answers the
 * database's time once the lock is held.
 */
export const beginRegistration = statement<{ now: Date }>('beginRegistration').reads({
  params: { projectId: text, now: instant },
  text: `
    select $clock as now
    from pg_advisory_xact_lock(${lockClass}, hashtext($projectId))`,
});
