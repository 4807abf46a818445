import { statement, uuid } from '../../db/index.ts';

/** Frees the `singleton` place of a run that the caller has locked and ends. */
export const leavePlace = statement<never>('leavePlace').writes({
  params: { runId: uuid },
  text: 'update run_work set singleton = null where run_id = $runId',
});
