import { statement } from '../../db/index.ts';

/** Leaves an outcome until its project is not suspended any more. */
export const holdOutcome = statement<{ runId: string; projectId: string }, never>({
  name: 'holdOutcome',
  writes: true,
  text: 'update run_outcome set held_for = $2 where run_id = $1',
  values: ({ runId, projectId }) => [runId, projectId],
});
