import { int, statement, uuid } from '../../db/index.ts';

/** Deletes a call whose step settles, and its sealed request with it. It is locked. */
export const deleteCall = statement<never>('deleteCall').writes({
  params: { runId: uuid, stepIndex: int },
  text: 'delete from inference_call where run_id = $runId and step_index = $stepIndex',
});
