import { statement } from '../../db/index.ts';

/** The advisory lock's class: apart from those of other parts of the service. */
const lockClass = 0x52454749;

/**
 * Opens a transaction that registers runners: one at a time per project, so that two runners which register the same app
 * never interleave. Not the project's row, which starts of runs read: that one is taken last and briefly. Answers with the
 * database's time once it is its turn.
 */
export const beginRegistration = statement<{ projectId: string; now: Date | null }, { now: Date }>({
  name: 'beginRegistration',
  writes: false,
  text: `
    select coalesce($2::timestamptz, clock_timestamp()) as now
    from pg_advisory_xact_lock(${lockClass}, hashtext($1::text))`,
  values: ({ projectId, now }) => [projectId, now],
});
