import { statement, uuid } from '../../db/index.ts';

/** Takes a run's `singleton` place from it. The caller has locked its queue row, and ends the run in this transaction. */
export const leavePlace = statement<never>('leavePlace').writes({
  params: { runId: uuid },
  text: 'update run_work set singleton = null where run_id = $runId',
});
