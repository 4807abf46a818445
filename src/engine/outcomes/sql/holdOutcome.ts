import { statement, uuid } from '../../db/index.ts';

/** Leaves an outcome until its project is not suspended any more. */
export const holdOutcome = statement<never>('holdOutcome').writes({
  params: { runId: uuid, projectId: uuid },
  text: 'update run_outcome set held_for = $projectId where run_id = $runId',
});
