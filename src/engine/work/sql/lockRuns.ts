import { statement, uuid } from '../../db/index.ts';

/**
 * Locks the queue rows of runs, in order, and does nothing else. A statement of its own where the
 * next one must see what whoever held the lock before has written: under read committed each
 * statement looks at the database afresh.
 */
export const lockRuns = statement<{ runId: string }>('lockRuns').reads({
  params: { runIds: uuid.list },
  text: 'select run_id from run_work where run_id = any($runIds) order by run_id for update',
});
