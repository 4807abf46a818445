import { statement, text, uuid } from '../../db/index.ts';

/** The index of a step of a run; null if the run has no step of that name. */
export const findStepIndex = statement<{ index: number | null }>('findStepIndex').reads({
  params: { runId: uuid, name: text },
  text: 'select min(index) as index from run_step where run_id = $runId and name = $name',
});
