import { instant, statement, text } from '../../db/index.ts';

/** The advisory lock's class: apart from those of other parts of the service. */
const lockClass = 0x52454749;

/**
 * Opens a transaction that registers runners: one at a time per project, so that two runners which
 * register the same app never interleave. Starts of runs read the project's row, so that one is
 * locked last and briefly. Answers the database's time once it is its turn.
 */
export const beginRegistration = statement<{ now: Date }>('beginRegistration').reads({
  params: { projectId: text, now: instant },
  text: `
    select $clock as now
    from pg_advisory_xact_lock(${lockClass}, hashtext($projectId))`,
});
