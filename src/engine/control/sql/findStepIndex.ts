import { statement } from '../../db/index.ts';

/** Where a step of a run stands; null when the run has none of that name. */
export const findStepIndex = statement<{ runId: string; name: string }, { index: number | null }>({
  name: 'findStepIndex',
  writes: false,
  text: 'select min(index) as index from run_step where run_id = $1 and name = $2',
  values: ({ runId, name }) => [runId, name],
});
