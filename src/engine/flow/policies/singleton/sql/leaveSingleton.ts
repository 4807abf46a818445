import { statement, uuid } from '../../../../db/index.ts';

/** Frees the singleton of a run that the caller has locked and is ending. */
export const leaveSingleton = statement<never>('leaveSingleton').writes({
  params: { runId: uuid },
  text: 'update run_work set singleton = null where run_id = $runId',
});
