import { statement, text, uuid } from '../../db/index.ts';

/** Where a step of a run stands; null when the run has none of that name. */
export const findStepIndex = statement<{ index: number | null }>('findStepIndex').reads({
  params: { runId: uuid, name: text },
  text: 'select min(index) as index from run_step where run_id = $runId and name = $name',
});
