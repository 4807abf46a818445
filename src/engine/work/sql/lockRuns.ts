import { statement, uuid } from '../../db/index.ts';

/**
 * Locks the queue rows of runs, in order, and does nothing else. Under read committed each
 * statement sees a new snapshot. So the next statement sees the writes of the former lock holders.
 */
export const lockRuns = statement<{ runId: string }>('lockRuns').reads({
  params: { runIds: uuid.list },
  text: 'select run_id from run_work where run_id = any($runIds) order by run_id for update',
});
