import { statement } from '../../db/index.ts';

/** Takes a run's `singleton` place from it. The caller has locked its queue row, and ends the run in this transaction. */
export const leavePlace = statement<{ runId: string }, never>({
  name: 'leavePlace',
  writes: true,
  text: 'update run_work set singleton = null where run_id = $1',
  values: ({ runId }) => [runId],
});
